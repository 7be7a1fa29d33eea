#!/usr/bin/env python3
"""Writes classes/NAME.txt for each table of views.toml: the classes of ImageNet that lie in its subtrees of WordNet.

    python3 tools/models/views.py [/usr/share/wordnet/data.noun]

The file is in the Debian package wordnet-base. ImageNet's ids are those of WordNet 3.0; those of 3.1 differ.
"""

import sys
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent


def main() -> None:
    nouns = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/wordnet/data.noun")
    parents = read(nouns.read_text(encoding="latin-1"))
    rows = (HERE / "labels/imagenet.tsv").read_text(encoding="utf-8").splitlines()[1:]
    names = dict(row.split("\t")[:2] for row in rows)
    for view, table in tomllib.loads((HERE / "views.toml").read_text(encoding="utf-8")).items():
        roots, without, others = (set(table.get(key, [])) for key in ("roots", "without", "and"))
        unknown = (without | others) - names.keys()
        if unknown:
            raise SystemExit(f"views.toml: {view}: {', '.join(sorted(unknown))}: no class of ImageNet")
        chosen = [id for id in names if (ancestors(id, parents) & roots or id in others) and id not in without]
        (HERE / f"classes/{view}.txt").write_text("".join(f"{id}\n" for id in chosen))
        print(f"{view}: {len(chosen)}")


def read(nouns: str) -> dict[str, list[str]]:
    """The more general meanings of each noun. A line is: offset, file, kind, number of words (hexadecimal), each word
    with a number, number of pointers, each pointer as symbol, offset, kind and words."""
    parents = {}
    for line in nouns.splitlines():
        if line.startswith(" "):
            continue  # the licence
        fields = line.split(" | ")[0].split()
        first = 4 + 2 * int(fields[3], 16)
        pointers = fields[first + 1:first + 1 + 4 * int(fields[first])]
        pairs = zip(pointers[::4], pointers[1::4], strict=True)
        parents[f"n{fields[0]}"] = [f"n{offset}" for symbol, offset in pairs if symbol in ("@", "@i")]
    return parents


def ancestors(id: str, parents: dict[str, list[str]]) -> set[str]:
    """The noun itself and everything above it."""
    found, open_ids = set(), [id]
    while open_ids:
        found.add(id := open_ids.pop())
        open_ids.extend(parent for parent in parents[id] if parent not in found)
    return found


if __name__ == "__main__":
    main()
