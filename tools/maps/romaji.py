#!/usr/bin/env python3
"""Lists the names of networks with their readings and in the Latin alphabet, for a person who knows the signs to read.

Names that are wrong go into `[translation]` of maps/romaji.toml.
"""

import argparse
import tomllib
from pathlib import Path

NETWORKS = Path(__file__).resolve().parents[2] / "target" / "maps"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument(
        "networks",
        type=Path,
        nargs="*",
        default=[NETWORKS / "tokyo.network.toml", NETWORKS / "kansai.network.toml"],
        help="network files, as tools/maps/build.py writes them (default: Tokyo and Kansai)",
    )
    for network in options.parse_args().networks:
        for station in tomllib.loads(network.read_text("utf-8"))["station"]:
            print(station["name"], station.get("yomi", ""), station.get("translation", ""), sep="\t")


if __name__ == "__main__":
    main()
