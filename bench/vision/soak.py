"""Sends thousands of mixed requests to one server at full concurrency, and says what became of them.

    make soak COUNT=10000
"""

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

from compare import CORES, Kaisatsu, arguments, pictures, run

# Connections: as many as the engine has threads and places to wait, so that nobody is turned away.
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
    # What grows at first are buffers that have not met their largest picture.
    start, end = max(memory[len(memory) // 4:len(memory) // 2]), max(memory[len(memory) * 3 // 4:])
    print(f"{outcome['answered']} answered, {outcome['lost']} lost, {outcome['rate']:.1f} a second on {CORES} cores, {CONNECTIONS} connections")
    print(f"resident MB along the way: {' '.join(map(str, memory))}")
    print(f"the second quarter's peak was {start} MB, the last quarter's {end} MB: {end / start:.3f}")
    right = outcome["answered"] == options.count and outcome["lost"] == 0 and end <= start * 1.05
    print("as it should be" if right else "NOT as it should be")
    return 0 if right else 1


def fill(options, server: Kaisatsu, folder: Path, files: list[Path]) -> None:
    """Half of the pictures are in a collection and in the catalogue; the others are strangers."""
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
    subprocess.run([*common, "catalog", "import", table, "--pictures", known.parent], check=True, stdout=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
