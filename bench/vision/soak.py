"""Sends thousands of mixed requests to one server at full concurrency, and reports answers and memory.

make soak COUNT=10000
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import CORES, Kaisatsu, arguments, pictures, run

# As many connections as the engine has threads and queue places, so that no request is refused.
CONNECTIONS = 8 * CORES


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--count", type=int, default=10_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return soak(options, Path(folder))


def soak(options, folder: Path) -> int:
    files = pictures(options.photos, folder, side=800)
    with Kaisatsu(options.kaisatsu, options.models, folder) as server:
        fill(options, server, folder, files)
        words = ["soak", server.address, server.key, server.process.pid, CONNECTIONS, options.count, *files]
        outcome = run(options.bench, *words)
    memory = [megabytes for _, megabytes in outcome["megabytes"]]
    # Memory grows at first, until the buffers have seen their largest picture.
    start, end = max(memory[len(memory) // 4 : len(memory) // 2]), max(memory[len(memory) * 3 // 4 :])
    print(
        f"{outcome['answered']} answered, {outcome['lost']} lost, {outcome['rate']:.1f} a second on {CORES} cores, {CONNECTIONS} connections"
    )
    print(f"resident MB along the way: {' '.join(map(str, memory))}")
    print(f"the second quarter's peak was {start} MB, the last quarter's {end} MB: {end / start:.3f}")
    right = outcome["answered"] == options.count and outcome["lost"] == 0 and end <= start * 1.05
    print("passed" if right else "FAILED")
    return 0 if right else 1


def fill(options, server: Kaisatsu, folder: Path, files: list[Path]) -> None:
    """Puts half of the pictures into a collection and into the catalogue. The others stay unknown."""
    known = folder / "known/things"
    known.mkdir(parents=True)
    for file in files[::2]:
        (known / file.name).write_bytes(file.read_bytes())
    table = folder / "catalogue.csv"
    with table.open("w", encoding="utf-8", newline="") as out:
        writer = csv.writer(out)
        writer.writerow(["id", "category", "name", "image"])
        writer.writerows([file.stem, "book", file.stem, f"things/{file.name}"] for file in files[::2])
    common = [options.kaisatsu, "--data", server.data, "--models", options.models]
    subprocess.run([*common, "collection", "import", "soak", known.parent], check=True, stdout=sys.stderr)
    subprocess.run([*common, "catalogue", "import", table, "--pictures", known.parent], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
