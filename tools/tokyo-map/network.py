"""From the package's line-stations to our stations and lines."""

import math
from collections import Counter
from dataclasses import dataclass, field

PREFECTURES = {"埼玉県": 11, "千葉県": 12, "東京都": 13, "神奈川県": 14}
LONGEST_EDGE_M = 15_000  # a longer one in a city joins two branches that are not joined
LARGEST_SPREAD_M = 300


@dataclass
class Station:
    code: int
    name: str
    lat: float
    lon: float
    prefecture: int
    formerly: list[str] = field(default_factory=list)
    yomi: str = ""
    lines: set[int] = field(default_factory=set)


@dataclass
class Line:
    code: int
    name: str
    color: str
    runs: list[list[int]]
    loop: bool = False  # the last station is the first one's neighbour

    def edges(self):
        for run in self.runs:
            yield from zip(run, run[1:])
            if self.loop:
                yield run[-1], run[0]


@dataclass
class Network:
    stations: dict[int, Station]
    lines: list[Line]
    line_stations: int  # how many line-stations went into the stations
    dropped_edges: list[str]
    dropped_stations: list[str]


def metres(a, b) -> float:
    east = (a[1] - b[1]) * math.cos(math.radians((a[0] + b[0]) / 2))
    return math.hypot(a[0] - b[0], east) * 111_195


def correct_names(lines: list[dict], fixes: dict) -> None:
    """Brings each name to its spelling of today; remembers the name it was renamed from."""
    renamed = {r["was"]: r["now"] for r in fixes["renamed"]}
    for line in lines:
        for s in line["stations"]:
            name = fixes["spelling"].get(s["name"], s["name"])
            s["name"] = renamed.get(name, name)
            s["was"] = name if name in renamed else None


def select(lines: list[dict], fixes: dict) -> set[tuple[int, str]]:
    """The (group, name) pairs on the map: whole lines, and whatever lies in the area."""
    area, whole = fixes["area"], {f["code"] for f in fixes["line"] if f.get("whole")}
    return {
        (s["gid"], s["name"])
        for line in lines
        for s in line["stations"]
        if line["id"] in whole
        or (area["west"] <= s["lon"] <= area["east"] and area["south"] <= s["lat"] <= area["north"])
    }


def merge(lines: list[dict], chosen: set, fixes: dict) -> tuple[dict, dict]:
    """One station per group and name. Returns stations by code, and the code of each (group, name)."""
    members: dict[tuple[int, str], list[dict]] = {}
    for line in lines:
        for s in line["stations"]:
            if (s["gid"], s["name"]) in chosen:
                members.setdefault((s["gid"], s["name"]), []).append(s)
    stations, codes = {}, {}
    for (gid, name), group in members.items():
        ids = sorted(s["id"] for s in group)
        code = gid if gid in ids else ids[0]
        codes[gid, name] = code
        own = next(s for s in group if s["id"] == code)
        places = [(s["lat"], s["lon"]) for s in group]
        spread = max(metres(a, b) for a in places for b in places)
        if spread > LARGEST_SPREAD_M:
            lat, lon = own["lat"], own["lon"]
        else:
            lat, lon = (math.fsum(axis) / len(group) for axis in zip(*places))
        lat, lon = fixes["position"].get(name, (lat, lon))
        known = Counter(s["prefecture"] for s in group if s["prefecture"] in PREFECTURES)
        prefecture = PREFECTURES[known.most_common(1)[0][0]] if known else 0
        prefecture = fixes["prefecture"].get(name, prefecture)
        formerly = list(fixes["formerly"].get(name, []))
        formerly += sorted({s["was"] for s in group if s["was"]} - set(formerly))
        stations[code] = Station(code, name, lat, lon, prefecture, formerly)
    for new in fixes["opened"]:
        stations[new["code"]] = Station(*(new[k] for k in ("code", "name", "lat", "lon", "prefecture")))
    return stations, codes


def runs_of(line: dict, fix: dict, codes: dict, by_name: dict, stations: dict, dropped: list) -> list[list[int]]:
    """The line's ordered runs, branches parted and new stations put in."""
    if "runs" in fix:
        return [[by_name[n] for n in run] for run in fix["runs"]]
    skipped, branches = set(fix.get("skip", [])), dict(fix.get("branch", []))
    runs, current = [], []
    for s in line["stations"]:
        code = codes.get((s["gid"], s["name"]))
        if s["name"] in skipped:
            continue
        if code is None:  # off the map: a gap
            runs.append(current)
            current = []
            continue
        if current and current[-1] in stations:
            last = stations[current[-1]]
            here = stations[code]
            if last.name in branches:
                dropped.append(f"{fix['name']}: {last.name}–{here.name} (branch)")
                runs.append(current)
                current = [by_name[branches[last.name]]]
            elif metres((last.lat, last.lon), (here.lat, here.lon)) > LONGEST_EDGE_M:
                dropped.append(f"{fix['name']}: {last.name}–{here.name} (too long)")
                runs.append(current)
                current = []
        current.append(code)
    runs.append(current)
    for before, new, after in fix.get("insert", []):
        insert(runs, by_name[before], by_name[new], by_name[after])
        if by_name[new] in codes.values():
            dropped.append(f"{fix['name']}: {before}–{after} (by way of {new})")
    runs += [[by_name[n] for n in run] for run in fix.get("more", [])]
    return [run for run in runs if len(run) > 1]


def insert(runs: list[list[int]], before: int, new: int, after: int) -> None:
    for run in runs:
        for i in range(len(run) - 1):
            if (run[i], run[i + 1]) == (before, after):
                run.insert(i + 1, new)
                return
    raise SystemExit(f"corrections: {before} and {after} are not neighbours")


def build(lines: list[dict], fixes: dict) -> Network:
    by_code = {f["code"]: f for f in fixes["line"]}
    correct_names(lines, fixes)
    stations, codes = merge(lines, select(lines, fixes), fixes)
    result, dropped, used = [], [], 0
    by_code_line = {line["id"]: line for line in lines}
    for new in by_code.keys() - by_code_line.keys():
        by_code_line[new] = {"id": new, "stations": []}
    for code in sorted(by_code_line):
        line = by_code_line[code]
        here = [codes[s["gid"], s["name"]] for s in line["stations"] if (s["gid"], s["name"]) in codes]
        fix = by_code.get(code)
        if fix is None:
            if len(here) > 1:
                raise SystemExit(f"corrections: no name and colour for line {code} {line['name']}")
            continue
        if "drop" in fix:
            continue
        local = {stations[c].name: c for c in here}
        everywhere = {s.name: s.code for s in stations.values()}
        runs = runs_of(line, fix, codes, everywhere | local, stations, dropped)
        if not runs:
            raise SystemExit(f"corrections: line {code} {fix['name']} has no two neighbours on the map")
        used += len(here)
        for run in runs:
            for c in run:
                stations[c].lines.add(code)
        result.append(Line(code, fix["name"], fix["color"], runs, fix.get("loop", False)))
    alone = [c for c, s in stations.items() if not s.lines]
    lost = [stations.pop(c).name for c in sorted(alone)]
    return Network(dict(sorted(stations.items())), result, used, dropped, lost)
