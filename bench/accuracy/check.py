"""Checks labelled photographs over HTTP, and the agreement of scores with Python's onnxruntime.

make bench-accuracy
"""

import csv
import json
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
import uuid
from pathlib import Path

import onnxruntime
from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "vision"), str(HERE.parents[1] / "tools/models")]

import barcodes  # noqa: E402
from compare import Kaisatsu, arguments  # noqa: E402
from reference import prepared, softmax  # noqa: E402

# The photographs on which the published scores of the models were reproduced.
NAMED = ["chelsea.png", "coffee.png"]


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--barcodes", type=int, default=400, help="how many barcodes to draw")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, Kaisatsu(options.kaisatsu, options.models, Path(name)) as server:
        wrong = photographs(options, server) + agreement(options, server) + objects(options, server, Path(name))
        (Path(name) / "barcodes").mkdir()
        barcodes.report(options.bench, options.photos, Path(name) / "barcodes", options.barcodes)
    print("\nall checks passed" if wrong == 0 else f"\n{wrong} checks FAILED")
    return 0 if wrong == 0 else 1


def photographs(options, server: Kaisatsu) -> int:
    """Compares the answers with the labels that people gave, and returns how many floors are missed."""
    labels = tomllib.loads((HERE / "labels.toml").read_text(encoding="utf-8"))
    counts = dict.fromkeys(labels["floors"], 0)
    print("| photograph | wanted | answered |\n|---|---|---|")
    for photo, wanted in labels["classify"].items():
        found = send(server, "concept/classify", options.photos / photo, numOfCandidates=5)["candidates"]
        tags = [one["tag"] for one in found]
        counts["first"] += bool(set(tags[:1]) & set(wanted))
        counts["first_five"] += bool(set(tags) & set(wanted))
        print(f"| {photo} | {' or '.join(wanted)} | {shown(found)} |")
    for photo, wanted in labels["detect"].items():
        found = send(server, "objectDetection/detect", options.photos / photo)["candidates"]
        counts["detect"] += any(one["tag"] in wanted for one in found)
        print(f"| {photo} | a box around {wanted[0]} | {shown(found)} |")
    nothing = labels["nothing"]["photos"]
    silent = sum(not send(server, "concept/classify", options.photos / photo)["candidates"] for photo in nothing)
    print(
        f"\nfirst tag {counts['first']}, first five {counts['first_five']} of {len(labels['classify'])}; "
        f"boxes {counts['detect']} of {len(labels['detect'])}; none for {silent} of {len(nothing)} things without a class\n"
    )
    return sum(counts[what] < floor for what, floor in labels["floors"].items())


def shown(found: list[dict]) -> str:
    return ", ".join(f"{one['tag']} {one['score']:.2f}" for one in found[:3]) or "none"


def agreement(options, server: Kaisatsu) -> int:
    """The largest difference between a score over HTTP and the same score by Python's onnxruntime and Pillow."""
    folder = options.models / "general"
    manifest = tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))
    names = [row.split("\t")[1] for row in (folder / "labels.tsv").read_text(encoding="utf-8").splitlines()[1:]]
    session = onnxruntime.InferenceSession(
        str(folder / manifest["weights"]["file"]), providers=["CPUExecutionProvider"]
    )
    largest = {True: 0.0, False: 0.0}
    photos = sorted(file for file in options.photos.iterdir() if file.suffix == ".png")
    for photo in photos:
        logits = session.run(
            [manifest["output"]["scores"]],
            {manifest["input"]["name"]: prepared(Image.open(photo).convert("RGB"), manifest["input"])},
        )[0][0]
        expected = dict(zip(names, softmax(logits, manifest["output"].get("temperature", 1.0))))
        for one in send(server, "concept/classify", photo, numOfCandidates=5)["candidates"]:
            difference = abs(one["score"] - float(expected[one["tag"]]))
            largest[photo.name in NAMED] = max(largest[photo.name in NAMED], difference)
    # Resizing in floats instead of bytes changes scores by 0.03: more than three thousandths cannot be rounding.
    right = largest[True] < 1e-3 and largest[False] < 3e-3
    print(
        f"scores over HTTP and by Python: largest difference {largest[True]:.5f} on {', '.join(NAMED)}, "
        f"{largest[False]:.5f} on {len(photos) - len(NAMED)} others {'' if right else 'WRONG'}\n"
    )
    return int(not right)


def objects(options, server: Kaisatsu, folder: Path) -> int:
    """Recognises the second picture of each pair in a catalogue that has the first, and unknown pictures."""
    pairs = {
        "box.png": "box_in_scene.png",
        "graf1.png": "graf3.png",
        "leuvenA.jpg": "leuvenB.jpg",
        "motorcycle_left.png": "motorcycle_right.png",
    }
    strangers = ["astronaut.png", "coffee.png", "rocket.jpg", "chelsea.png", "page.png"]
    table = folder / "pairs.csv"
    with table.open("w", encoding="utf-8", newline="") as out:
        csv.writer(out).writerows(
            [["id", "category", "name", "image"], *([first, "book", first, first] for first in pairs)]
        )
    command = [
        options.kaisatsu,
        "--data",
        server.data,
        "--models",
        options.models,
        "catalogue",
        "import",
        table,
        "--pictures",
        options.photos,
    ]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(2)
    print("| picture | wanted | recognised | inliers | seconds | |\n|---|---|---|---|---|---|")
    wrong = 0
    for photo, wanted in [
        *((second, first) for first, second in pairs.items()),
        *((stranger, None) for stranger in strangers),
    ]:
        began = time.perf_counter()
        found = send(server, "recognize", options.photos / photo, form=False)["candidates"]
        took = time.perf_counter() - began
        best = found[0]["detail"]["id"] if found else None
        wrong += best != wanted
        inliers = found[0]["evidence"]["inliers"] if found else ""
        print(
            f"| {photo} | {wanted or 'none'} | {best or 'none'} | {inliers} | {took:.2f} | {'right' if best == wanted else 'WRONG'} |"
        )
    print()
    return wrong


def send(server: Kaisatsu, operation: str, photo: Path, form: bool = True, **query: object) -> dict:
    words = "".join(f"&{name}={value}" for name, value in query.items())
    body, kind = photo.read_bytes(), "application/octet-stream"
    if form:
        edge = uuid.uuid4().hex
        head = f'--{edge}\r\nContent-Disposition: form-data; name="image"; filename="{photo.name}"\r\n\r\n'
        body, kind = head.encode() + body + f"\r\n--{edge}--\r\n".encode(), f"multipart/form-data; boundary={edge}"
    url = f"http://{server.address}/imageRecognition/v1/{operation}?APIKEY={server.key}{words}"
    with urllib.request.urlopen(urllib.request.Request(url, data=body, headers={"Content-Type": kind})) as answer:
        return json.load(answer)


if __name__ == "__main__":
    sys.exit(main())
