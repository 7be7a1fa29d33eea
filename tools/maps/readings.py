#!/usr/bin/env python3
"""Proposes entries for maps/readings.toml: SudachiDict's readings of names with several in the SKK dictionary.

Check each proposal by hand: two stations of one name may be read differently, and the dictionaries contain mistakes.
Entries that maps/readings.toml already has are not proposed again.
"""

import argparse
import re
import subprocess
import tempfile
from pathlib import Path

import packages

ROOT = Path(__file__).resolve().parents[2]
UNSETTLED = re.compile(r"^ {10}(\S+): (.+)$")


def hiragana(text: str) -> str:
    return "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in text)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--kaisatsu", type=Path, default=ROOT / "target" / "debug" / "kaisatsu", help="the program")
    options.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "kaisatsu-maps")
    given = options.parse_args()
    cache = given.cache.resolve()
    command = [
        str(given.kaisatsu),
        "map",
        "import",
        "japan-train-data",
        str(packages.train_data(cache)),
        "--corrections",
        str(ROOT / "maps" / "japan.toml"),
        "--readings",
        str(packages.skk(cache)),
        "--forget",
        "--output",
        "-",
    ]
    told = subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE).stderr.decode()
    found = [match.groups() for match in map(UNSETTLED.match, told.splitlines()) if match]
    second = packages.sudachi(cache, [name.split("@")[0] for name, _ in found])
    for (name, candidates), reading in zip(found, map(hiragana, second), strict=True):
        known = [] if candidates == "not known" else candidates.split(" or ")
        mark = "" if reading in known else "# "
        print(f'{mark}"{name}" = "{reading}"   # {candidates}')


if __name__ == "__main__":
    main()
