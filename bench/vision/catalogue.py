"""Measures the memory of a catalogue with a hundred thousand items, and the time a picture takes.

make bench-catalogue COUNT=100000
"""

import statistics
from pathlib import Path

from compare import arguments, run

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


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=100_000)
    options = parser.parse_args()
    known = [options.photos / name for name in (*PAIRS, *KNOWN)]
    asked = [f"{options.photos / second}={number}" for number, second in enumerate(PAIRS.values())]
    asked += [f"{options.photos / name}=none" for name in STRANGERS]
    outcome = run(options.bench, "catalogue", options.models, options.count, *known, "?", *asked)
    print(
        f"{outcome['items']} items, index {outcome['index_megabytes']} MB, filled in {outcome['filled_seconds']:.0f} s\n"
    )
    print("| picture | right | inliers | ms | of which voting |\n|---|---|---|---|---|")
    for answer in outcome["answers"]:
        print(
            f"| {Path(answer['file']).name} | {'yes' if answer['right'] else 'NO'} | {answer['inliers'] or ''} | {answer['ms']:.0f} | {answer['voting_ms']:.0f} |"
        )
    times = [answer["ms"] for answer in outcome["answers"]]
    print(f"\nmedian {statistics.median(times):.0f} ms, longest {max(times):.0f} ms on one thread")


if __name__ == "__main__":
    main()
