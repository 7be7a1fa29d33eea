"""Measures `food` and `plant`: known dishes and plants, everyday photographs, and milliseconds beside onnxruntime.

    make bench-accuracy

Package registries carry few photographs of dishes and plants. Those of which it is known what they show are listed in
labels.toml. All others, of scikit-image, OpenCV, scikit-learn, foolbox and the stamps of Tux Paint, show neither: of
these, a candidate with a score of a half or more is a false one.
"""

import sys
import tempfile
import tomllib
from pathlib import Path

import numpy as np
import sklearn

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / "vision"))

from calibration import imagenet, stamps  # noqa: E402
from check import send, shown  # noqa: E402
from compare import Kaisatsu, arguments, in_python, run  # noqa: E402
from probe import calibration_error, chance_level  # noqa: E402

MODELS = ["food", "plant"]
# At most so many of the photographs of other things may have a candidate of a half or more. `plant` has no gate.
FALSE_SHARE = {"food": 0.01}
HALF = 0.5
# The largest number of candidates in a request.
LISTED = 50


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--seconds", type=int, default=5, help="how long each network runs")
    options = parser.parse_args()
    labels = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))
    wrong = []
    with tempfile.TemporaryDirectory() as name, Kaisatsu(options.kaisatsu, options.models, Path(name)) as server:
        photos = everything(options, Path(name))
        print("| model | photograph | wanted | answered |\n|---|---|---|---|")
        for model in MODELS:
            first = five = count = 0
            for what, wanted in labels[model].items():
                for name, (file, tags) in photos.items():
                    if name != what and what not in tags:
                        continue
                    found = send(server, "concept/classify", file, modelName=model, numOfCandidates=5)["candidates"]
                    count += 1
                    first += any(one["tag"] in wanted for one in found[:1])
                    five += any(one["tag"] in wanted for one in found)
                    print(f"| {model} | {what} | {' or '.join(wanted)} | {shown(found)} |")
            print(f"\n{model}: first {first}, first five {five} of {count} photographs, which are few\n")
            wrong += rejection(server, model, photos, labels)
        print("| model | photographs | that show it | mean of the sums | calibration error | by chance alone |")
        print("|---|---|---|---|---|---|")
        for model in MODELS:
            calibration(server, options.models / model / "groups.tsv", model, photos, labels)
        print()
        milliseconds(options)
    print("\n" + ("\n".join(wrong) or "all checks passed"))
    return 1 if wrong else 0


def everything(options, folder: Path) -> dict[str, tuple[Path, list[str]]]:
    """Every photograph by its name, with the tags of `general` that are known of it."""
    rows = (options.models / "general/labels.tsv").read_text(encoding="utf-8").splitlines()[1:]
    names = [row.split("\t")[1] for row in rows]
    samples = Path(sklearn.__file__).parent / "datasets/images"
    known = imagenet(names) | stamps(folder)
    photos = {file.name: (file, tags) for file, tags in known.items()}
    for file in [*options.photos.iterdir(), *samples.glob("*.jpg")]:
        photos.setdefault(file.name, (file, []))
    return photos


def rejection(server: Kaisatsu, model: str, photos: dict, labels: dict) -> list[str]:
    """How many photographs of something else get candidates, and how many a score of a half or more."""
    skip = set(labels["shows"][model])
    others = [(name, file) for name, (file, tags) in photos.items() if name not in skip and not skip & set(tags)]
    answered, false = 0, []
    for name, file in others:
        found = send(server, "concept/classify", file, modelName=model, numOfCandidates=1)["candidates"]
        answered += bool(found)
        if found and found[0]["score"] >= HALF:
            false.append(f"{name} ({shown(found)})")
    share = len(false) / max(len(others), 1)
    print(
        f"{model}: of {len(others)} photographs of other things {answered} have candidates, "
        f"{len(false)} one of {HALF} or more ({share:.1%}): {', '.join(false) or 'none'}\n"
    )
    most = FALSE_SHARE.get(model, 1.0)
    return [f"{model}: {share:.1%} of the photographs of other things are answered"] if share > most else []


def calibration(server: Kaisatsu, groups: Path, model: str, photos: dict, labels: dict) -> None:
    """Whether the sum of all scores is the probability that there is a dish, or a plant, at all. Which one it is, is
    known of too few photographs."""
    shows = set(labels["shows"][model])
    right = np.array([name in shows or bool(shows & set(tags)) for name, (_, tags) in photos.items()])
    answers = [
        send(server, "concept/classify", file, modelName=model, numOfCandidates=LISTED) for file, _ in photos.values()
    ]
    # A genus has the scores of its species once more.
    rows = groups.read_text(encoding="utf-8").splitlines() if groups.exists() else []
    twice = {row.split("\t")[0] for row in rows}
    sums = np.array(
        [sum(one["score"] for one in answer["candidates"] if one["tagId"] not in twice) for answer in answers]
    )
    off, chance = calibration_error(sums, right), chance_level(sums)
    print(
        f"| {model} | {len(right)} | {right.mean():.1%} | {sums.mean():.1%} | {off:.1%} | {chance:.1%} |", flush=True
    )


def milliseconds(options) -> None:
    """The networks alone on one thread, beside Python's onnxruntime on the same weights."""
    library = options.models / "runtime/libonnxruntime.so"
    print("| network | onnxruntime in Python, ms | Kaisatsu, ms | ratio |\n|---|---|---|---|")
    for model in MODELS:
        manifest = tomllib.loads((options.models / model / "model.toml").read_text(encoding="utf-8"))
        size, weights = manifest["input"], options.models / model / manifest["weights"]["file"]
        shape = (1, 3, size["height"], size["width"])
        python = in_python(weights, {size["name"]: shape}, 1, options.seconds)["p50"]
        ours = run(
            options.bench, "infer", library, weights, 1, options.seconds, f"{size['name']}={'x'.join(map(str, shape))}"
        )["p50"]
        print(f"| {model} | {python:.1f} | {ours:.1f} | {ours / python:.2f} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
