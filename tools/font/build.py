#!/usr/bin/env python3
"""Builds the typeface of the maps: a subset of Noto Sans CJK JP Medium, with some letters of Source Sans 3 Medium.

The inputs are fetched by name and exact version into a cache folder. The same inputs give the same bytes.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import characters

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
FONTS = ROOT / "crates" / "render" / "fonts"
MAPS = sorted((ROOT / "crates" / "railmap" / "maps").glob("*.toml"))

PACKAGE = "fonts-noto-cjk-extra"
VERSION = "1:20220127+repack1-1"
COLLECTION = "usr/share/fonts/opentype/noto/NotoSansCJK-Medium.ttc"

WESTERN_PACKAGE = "source-sans@3.52.0"
WESTERN = "package/OTF/SourceSans3-Medium.otf"


def run(command, **options) -> None:
    subprocess.run([str(word) for word in command], check=True, **options)


def source(cache: Path) -> Path:
    """The collection that holds the Japanese face, from the Debian package."""
    folder = cache / "noto"
    file = folder / COLLECTION
    if not file.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "download", f"{PACKAGE}={VERSION}"], cwd=folder)
        run(["dpkg-deb", "-x", next(folder.glob(f"{PACKAGE}_*.deb")), folder])
    return file


def western(cache: Path) -> Path:
    """The font that has the letters which the Japanese one lacks, from npm."""
    folder = cache / "western"
    file = folder / WESTERN
    if not file.exists():
        characters.unpack(WESTERN_PACKAGE, folder)
    return file


def python(cache: Path) -> Path:
    """A Python that has the pinned fonttools."""
    folder = cache / "venv"
    interpreter = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    marker = folder / "installed"
    pinned = (HERE / "requirements.txt").read_text()
    if not marker.exists() or marker.read_text() != pinned:
        venv.create(folder, with_pip=True, clear=True)
        run([interpreter, "-m", "pip", "install", "--quiet", "--requirement", HERE / "requirements.txt"])
        marker.write_text(pinned)
    return interpreter


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "kaisatsu-font")
    parser.add_argument("--out", type=Path, default=FONTS / "map-sans.otf")
    options = parser.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    wanted = options.cache / "characters.txt"
    wanted.write_text("".join(sorted(characters.wanted(options.cache, MAPS))), encoding="utf-8")
    run([python(options.cache), HERE / "cut.py", source(options.cache), western(options.cache), wanted, options.out])
    return 0


if __name__ == "__main__":
    sys.exit(main())
