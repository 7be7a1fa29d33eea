"""Fetches the inputs by package name and exact version into a cache folder."""

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

TRAIN_DATA = "japan-train-data@0.6.0"
SKK_PACKAGE = "skkdic-extra"
SKK_VERSION = "20230109-1"
SUDACHI = ["sudachipy==0.7.0", "sudachidict-core==20261015"]

# The bundle is a circular object of 24 MB: take the few fields we need, each line once.
EXPORT_JS = """
const data = require(process.argv[1]);
const lines = new Map();
for (const line of data.lines) {
  if (lines.has(line.id)) continue;
  lines.set(line.id, {
    id: line.id,
    name: line.name.ja,
    stations: line.stations.map((s) => ({
      id: s.id,
      gid: s.gid,
      name: s.name.ja,
      lat: s.location.lat,
      lon: s.location.lng,
      prefecture: (s.location.administrativeArea1 || {}).ja || null,
    })),
  });
}
process.stdout.write(JSON.stringify([...lines.values()]));
"""

# Runs inside the venv: names in, readings out, both as JSON lists.
SUDACHI_PY = """
import json, sys
from sudachipy import Dictionary, SplitMode
tokenizer = Dictionary(dict="core").tokenizer()
names = json.load(sys.stdin)
readings = ["".join(m.reading_form() for m in tokenizer.tokenize(n, SplitMode.C)) for n in names]
json.dump(readings, sys.stdout)
"""


def run(command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


def train_lines(cache: Path) -> list[dict]:
    """All lines of the train data, stations in order."""
    bundle = cache / "train-data" / "package" / "dist" / "bundle.cjs.js"
    if not bundle.exists():
        bundle.parents[2].mkdir(parents=True, exist_ok=True)
        tarball = run(["npm", "pack", "--silent", TRAIN_DATA], cwd=cache).decode().strip()
        run(["tar", "-xzf", str(cache / tarball), "-C", str(bundle.parents[2])])
    return json.loads(run(["node", "-e", EXPORT_JS, str(bundle)]))


def skk_readings(cache: Path) -> dict[str, list[str]]:
    """Station name -> its possible readings, from the SKK station dictionary."""
    folder = cache / "skk"
    dictionary = folder / "usr" / "share" / "skk" / "SKK-JISYO.station"
    if not dictionary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "download", f"{SKK_PACKAGE}={SKK_VERSION}"], cwd=folder)
        package = next(folder.glob(f"{SKK_PACKAGE}_*.deb"))
        run(["dpkg-deb", "-x", str(package), str(folder)])
    readings: dict[str, list[str]] = {}
    for row in dictionary.read_text(encoding="euc_jp", errors="replace").splitlines():
        if row.startswith(";") or " /" not in row:
            continue
        yomi, words = row.split(" /", 1)
        for word in words.strip("/").split("/"):
            found = readings.setdefault(word.split(";")[0], [])
            if yomi not in found:
                found.append(yomi)
    return readings


def sudachi_readings(cache: Path, names: list[str]) -> dict[str, str]:
    """Name -> reading in katakana, from SudachiDict."""
    folder = cache / "sudachi"
    bin_folder = folder / ("Scripts" if os.name == "nt" else "bin")
    marker = folder / "installed"
    if not marker.exists():
        venv.create(folder, with_pip=True, clear=True)
        run([str(bin_folder / "python"), "-m", "pip", "install", "--quiet", *SUDACHI])
        marker.write_text("\n".join(SUDACHI) + "\n")
    answer = run([str(bin_folder / "python"), "-c", SUDACHI_PY], input=json.dumps(names).encode())
    return dict(zip(names, json.loads(answer), strict=True))


def need(*programs: str) -> None:
    """Stop early, with one clear line, when a program is missing."""
    from shutil import which

    missing = [p for p in programs if which(p) is None]
    if missing:
        sys.exit(f"missing programs: {', '.join(missing)}")
