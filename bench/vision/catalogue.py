"""Measures what `recognize` costs: in 12 megapixels with no item, with a thousand, and with a hundred thousand.

Milliseconds of CPU time on one thread, beside one run of the network for features in Python's onnxruntime.

make bench-catalogue COUNT=100000
"""

import statistics
import tempfile
import time
from pathlib import Path

import numpy as np
import onnxruntime
from compare import INPUTS, arguments, run
from covers import draw_covers, draw_photographs
from PIL import Image

PAIRS = {
    "box.png": "box_in_scene.png",
    "graf1.png": "graf3.png",
    "leuvenA.jpg": "leuvenB.jpg",
    "motorcycle_left.png": "motorcycle_right.png",
}
KNOWN = [
    "brick.png",
    "camera.png",
    "clock_motion.png",
    "coins.png",
    "gravel.png",
    "hubble_deep_field.jpg",
    "moon.png",
    "text.png",
]
STRANGERS = ["astronaut.png", "chelsea.png", "coffee.png", "page.png", "rocket.jpg"]
# Up to so many items the server reads reference pictures in four turns.
TURNED_UP_TO = 8192
# Drawn covers in a catalogue of their own, and photographs of each kind.
COVERS = 1000
OF_EACH = 10
# A telephone's photograph.
LARGE = (4032, 3024)


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    known = [options.photos / name for name in (*PAIRS, *KNOWN)]
    print(f"one run of the network at 640 by 480 in Python: {yardstick(options.models):.0f} ms\n")
    with tempfile.TemporaryDirectory() as folder:
        asked = photographs(options.photos, Path(folder))
        before = run(options.bench, "codes", *asked)
        for count in sorted({1000, options.count}):
            questions = [f"{file}={wanted}" for file, wanted in asked.items()]
            views = "turned" if count < TURNED_UP_TO else "upright"
            outcome = run(options.bench, "catalogue", options.models, count, views, *known, "?", *questions)
            table(outcome, before)
        drawn(options, Path(folder))


def yardstick(models: Path) -> float:
    """Milliseconds of CPU time, the median of nine."""
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        str(models / "local-features/model.onnx"), settings, providers=["CPUExecutionProvider"]
    )
    feeds = {name: np.full(shape, 0.5, np.float32) for name, shape in INPUTS["local-features"].items()}
    times = []
    for _ in range(9):
        began = time.thread_time()
        session.run(None, feeds)
        times.append((time.thread_time() - began) * 1e3)
    return statistics.median(times)


def photographs(photos: Path, folder: Path) -> dict[Path, str]:
    """Photographs of 12 megapixels, and what they show: one item, a turned one, several, none."""
    opened = {name: Image.open(photos / name).convert("RGB") for name in (*PAIRS, *PAIRS.values(), *STRANGERS)}
    shown = [(Path(second).stem, opened[second], str(number)) for number, second in enumerate(PAIRS.values())]
    turned = opened["graf3.png"].rotate(-45, Image.Resampling.BICUBIC, expand=True, fillcolor=(128, 128, 128))
    beside = Image.new("RGB", (1400, 1050), (128, 128, 128))
    for at, name in enumerate(("graf1.png", "leuvenA.jpg", "motorcycle_left.png")):
        beside.paste(opened[name].resize((600, 450)), (50 + at % 2 * 680, 50 + at // 2 * 500))
    shown += [("turned by 45 degrees", turned, "1"), ("three items", beside, "1+2+3")]
    shown += [(Path(name).stem, opened[name], "none") for name in STRANGERS]
    files = {}
    for name, image, wanted in shown:
        file = folder / f"{name}.jpg"
        size = LARGE if image.width >= image.height else LARGE[::-1]
        image.resize(size, Image.Resampling.BICUBIC).save(file, quality=90)
        files[file] = wanted
    return files


def table(outcome: dict, before: list[dict]) -> None:
    """What each photograph costs: decoding, codes of all kinds, then the search by features."""
    print(
        f"{outcome['items']} items, index {outcome['index_megabytes']} MB, filled in {outcome['filled_seconds']:.0f} s\n"
    )
    print("| photograph of 12 megapixels | right | inliers | decoding | codes | features | of which voting | in all |")
    print("|---|---|---|---|---|---|---|---|")
    totals, empty = [], []
    for answer, codes in zip(outcome["answers"], before):
        reading = codes["ms"] + codes["two_dimensional_ms"]
        empty.append(codes["without_colours"]["ms"])
        totals.append(codes["decoding_ms"] + reading + answer["ms"])
        print(
            f"| {Path(answer['file']).stem} | {'yes' if answer['right'] else 'NO'} | {answer['inliers'] or ''} "
            f"| {codes['decoding_ms']:.0f} | {reading:.0f} | {answer['ms']:.0f} | {answer['voting_ms']:.0f} "
            f"| {totals[-1]:.0f} |"
        )
    print(
        f"\nmedian {statistics.median(totals):.0f} ms, most {max(totals):.0f} ms; "
        f"with an empty catalogue {statistics.median(empty):.0f} and {max(empty):.0f} ms\n"
    )


def drawn(options, folder: Path) -> None:
    """How many photographs of drawn covers are recognised, of each kind, and what that costs; and photographs of none."""
    known = draw_covers(folder, COVERS)
    grounds = [options.photos / name for name in STRANGERS]
    shown = draw_photographs(folder, grounds, COVERS, OF_EACH, 1600)
    questions = [f"{file}={'+'.join(map(str, numbers))}" for file, (_, numbers) in shown.items()]
    questions += [f"{file}=none" for file in grounds]
    answers = run(options.bench, "catalogue", options.models, 0, "turned", *known, "?", *questions)["answers"]
    kinds = [kind for kind, _ in shown.values()] + ["none of them"] * len(grounds)
    print(f"{COVERS} drawn covers; the search by features alone\n")
    print("| a photograph shows a cover | right | of | median ms | most ms |\n|---|---|---|---|---|")
    for kind in dict.fromkeys(kinds):
        of_kind = [answer for answer, other in zip(answers, kinds) if other == kind]
        times = [answer["ms"] for answer in of_kind]
        right = sum(answer["right"] for answer in of_kind)
        print(f"| {kind} | {right} | {len(of_kind)} | {statistics.median(times):.0f} | {max(times):.0f} |")


if __name__ == "__main__":
    main()
