#!/usr/bin/env python3
"""Builds the maps: fetches the packages and runs `kaisatsu map import` and `kaisatsu map build` for each recipe."""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import packages

ROOT = Path(__file__).resolve().parents[2]
FOREIGN = {
    "bench/london": packages.london,
    "bench/berlin": lambda cache: packages.berlin(cache, {"subway": 1, "suburban": 2}),
    "bench/berlin-tram": lambda cache: packages.berlin(cache, {"tram": 0}),
}
BENCH = ["bench/tokyo-subway", "bench/tokyo-core", "bench/kanto", "bench/japan", *FOREIGN]
JAPAN = ["tokyo", "kansai", "japan"]
RECIPES = [*JAPAN, "new-york", *BENCH]
# Small enough to come with the binary. The others are for the maps folder of a server.
BUILT_IN = ["tokyo", "kansai", "new-york"]
# How many layouts are tried in the map's own language, and in the others.
EFFORT = {"tokyo": 12, "kansai": 4, "new-york": 12}
OTHERS = 4


def maps_folder() -> Path:
    """Where a server with its default settings looks for maps."""
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(os.environ.get("KAISATSU_MAPS") or Path(data) / "kaisatsu" / "maps")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("recipes", nargs="*", help=f"which of {', '.join(RECIPES)} (default: all)")
    options.add_argument("--kaisatsu", type=Path, default=ROOT / "target" / "release" / "kaisatsu", help="the program")
    options.add_argument(
        "--cache",
        type=Path,
        default=Path(tempfile.gettempdir()) / "kaisatsu-maps",
        help="folder for the fetched packages (default: in the temporary folder)",
    )
    options.add_argument("--networks-only", action="store_true", help="import, but lay nothing out")
    options.add_argument("--maps", type=Path, default=maps_folder(), help="folder for the maps that are not built in")
    options.add_argument("--out", type=Path, default=ROOT / "target" / "maps", help="folder to write to")
    given = options.parse_args()
    unknown = sorted(set(given.recipes) - set(RECIPES))
    if unknown:
        sys.exit(f"no such recipe: {', '.join(unknown)}; there are {', '.join(RECIPES)}")
    packages.need("node", "npm", "tar", "apt-get", "dpkg-deb")
    cache = given.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    failed = []
    for recipe in given.recipes or RECIPES:
        # The networks of the benchmark are written beside the maps, of which one is also called japan.
        output = given.out / f"{recipe.replace('/', '-')}.network.toml"
        output.parent.mkdir(parents=True, exist_ok=True)
        if recipe == "new-york":
            source = ["gtfs", str(packages.new_york(cache))]
        elif recipe in FOREIGN:
            source = ["gtfs", str(FOREIGN[recipe](cache))]
        else:
            source = ["japan-train-data", str(packages.train_data(cache))]
        readings = ["--readings", str(packages.skk(cache))] if recipe in JAPAN else []
        corrections = ["--corrections", str(ROOT / "maps" / f"{recipe}.toml")]
        print(f"== {recipe}", file=sys.stderr)
        # The file depends on the recipe and the packages alone, not on an earlier file. Station codes are stable,
        # because the packages number the stations of Japan and the committed codes number those of New York.
        previous = ROOT / "maps" / f"{recipe}.codes.toml"
        codes = ["--previous", str(previous)] if previous.exists() else ["--forget"]
        command = [
            str(given.kaisatsu),
            "map",
            "import",
            *source,
            *corrections,
            *readings,
            *codes,
            "--output",
            str(output),
        ]
        if subprocess.run(command).returncode != 0:
            failed.append(recipe)
        elif recipe not in BENCH and not given.networks_only:
            folder = ROOT / "crates" / "railmap" / "maps" if recipe in BUILT_IN else given.maps
            folder.mkdir(parents=True, exist_ok=True)
            build = [str(given.kaisatsu), "map", "build", str(output), "--output", str(folder / f"{recipe}.toml")]
            builds = [build]
            if recipe in BUILT_IN:
                # The second one writes the map's own language anew.
                efforts = [["--languages", "--effort", str(OTHERS)], ["--effort", str(EFFORT[recipe])]]
                builds = [build + effort for effort in efforts]
            if any(subprocess.run(build).returncode != 0 for build in builds):
                failed.append(recipe)
    if failed:
        sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
