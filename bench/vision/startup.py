"""Measures how long a server takes to be ready, without and with the models that are asked for by name.

    make bench-models

Both kinds of server are started in turn. Before a cold start the files of the models are dropped from the page cache,
as after a restart of the machine. Processor time hardly depends on what else the machine does; elapsed time does.
"""

import os
import statistics
import tempfile
import time
from pathlib import Path

from compare import Kaisatsu, arguments
from costs import used

# What a model folder has beyond the models of every server: dishes, plants, their vectors, and views.
NAMED = {
    *("food", "plant", "flower", "animal", "fashion_type", "kinoko", "scene", "vehicle"),
    *("general-food", "general-plant"),
}
# A first start may take so many seconds longer with them.
LIMIT = 15


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    every = [folder for folder in sorted(options.models.iterdir()) if folder.is_dir()]
    kinds = {"without": [folder for folder in every if folder.name not in NAMED], "with": every}
    figures: dict[tuple[str, str], list[tuple[float, float]]] = {}
    with tempfile.TemporaryDirectory() as name:
        for kind, folders in kinds.items():
            (Path(name) / kind).mkdir()
            for folder in folders:
                (Path(name) / kind / folder.name).symlink_to(folder)
        for _ in range(options.rounds):
            for cache in ("cold", "warm"):
                for kind, folders in kinds.items():
                    if cache == "cold":
                        drop(folders)
                    figures.setdefault((cache, kind), []).append(start(options, Path(name) / kind, Path(name)))
    print("| page cache | models | until ready, s | processor time, s |\n|---|---|---|---|")
    for (cache, kind), rows in figures.items():
        elapsed, spent = (statistics.median(column) for column in zip(*rows))
        print(f"| {cache} | {len(kinds[kind])}, {kind} those asked for by name | {elapsed:.2f} | {spent:.2f} |")
    longer = statistics.median(
        more - less for (more, _), (less, _) in zip(figures["cold", "with"], figures["cold", "without"])
    )
    print(f"\na cold start takes {longer:+.2f} s with them; at most {LIMIT} s are allowed")
    return int(longer > LIMIT)


def start(options, models: Path, folder: Path) -> tuple[float, float]:
    """Seconds until a new server is ready, and its processor time until then."""
    began = time.monotonic()
    with Kaisatsu(options.kaisatsu, models, folder) as server:
        return time.monotonic() - began, used(server.process.pid)


def drop(folders: list[Path]) -> None:
    """Drops the files of models from the page cache."""
    for file in (file for folder in folders for file in folder.rglob("*") if file.is_file()):
        handle = os.open(file, os.O_RDONLY)
        try:
            os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
        finally:
            os.close(handle)


if __name__ == "__main__":
    raise SystemExit(main())
