"""Writes the map file and checks it again from its text alone."""

import math
import re
import tomllib

from layout import MARGIN

HEADER = """\
# Route map of Tokyo: the subways in full, the Yamanote loop, and every line in the core of the city.
# Facts only. Lines, their order of stations and positions: japan-train-data 0.6.0 (MIT label), brought from
# 2017 to 2026 by hand. Readings: checked against the SKK station dictionary and SudachiDict, settled by hand
# where they differ. Written by a program: do not edit, change tools/tokyo-map/corrections.toml and
# run `python3 tools/tokyo-map/build.py`.
"""
CREDITS = (
    "Lines, stations and positions after japan-train-data (MIT), corrected to 2026; "
    "readings checked against the SKK station dictionary and SudachiDict"
)
LEAST_STATIONS = 550
LEAST_GAP = 2
YOMI = re.compile(r"[ぁ-ゖー]+")
COLOR = re.compile(r"#[0-9a-f]{6}")


def quote(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def write(network, layout, width: int, height: int, centre: int) -> str:
    out = [HEADER + "format = 1", 'id = "tokyo"', 'name = "東京"', 'edition = "2026-11"']
    out += [f"width = {width}", f"height = {height}", f"centre = {centre}", f"credits = {quote(CREDITS)}"]
    for line in network.lines:
        runs = ", ".join("[" + ", ".join(map(str, run)) + "]" for run in line.runs)
        out += ["", "[[line]]", f"code = {line.code}", f"name = {quote(line.name)}"]
        out += [f"color = {quote(line.color)}", f"stations = [{runs}]"]
        out += ["loop = true"] if line.loop else []
    for i, code in enumerate(layout.codes):
        s = network.stations[code]
        out += ["", "[[station]]", f"code = {code}", f"name = {quote(s.name)}", f"yomi = {quote(s.yomi)}"]
        out += ['type = "train"', f"prefecture = {s.prefecture}", f"lat = {s.lat:.6f}", f"lon = {s.lon:.6f}"]
        if s.formerly:
            out.append(f"formerly = [{', '.join(map(quote, s.formerly))}]")
        (x, y), label = layout.at[i], layout.shapes(i)[1]
        w, h = label[2] - label[0], label[3] - label[1]
        out += [
            "marks = [",
            f'  {{ shape = "rect", x = {label[0]}, y = {label[1]}, width = {w}, height = {h}, text = true }},',
            f'  {{ shape = "circle", x = {x}, y = {y}, r = {layout.r[i]} }},',
            "]",
        ]
    return "\n".join(out) + "\n"


def distance(a: dict, b: dict) -> float:
    """Free space between two marks; negative or 0 when they overlap or touch."""

    def corners(m):
        if m["shape"] == "circle":
            return m["x"], m["y"], m["x"], m["y"], m["r"]
        return m["x"], m["y"], m["x"] + m["width"], m["y"] + m["height"], 0

    ax0, ay0, ax1, ay1, ar = corners(a)
    bx0, by0, bx1, by1, br = corners(b)
    dx, dy = max(ax0 - bx1, bx0 - ax1, 0), max(ay0 - by1, by0 - ay1, 0)
    return math.hypot(dx, dy) - ar - br


def bounds(m: dict):
    if m["shape"] == "circle":
        return m["x"] - m["r"], m["y"] - m["r"], m["x"] + m["r"], m["y"] + m["r"]
    return m["x"], m["y"], m["x"] + m["width"], m["y"] + m["height"]


def check(text: str) -> list[str]:
    """Everything a reader of the file relies on. Returns what is wrong."""
    data = tomllib.loads(text)
    wrong = []
    stations, lines = data["station"], data["line"]
    codes = [s["code"] for s in stations]
    known = set(codes)
    line_codes = [line["code"] for line in lines]
    if codes != sorted(known):
        wrong.append("station codes are not unique and in order")
    if line_codes != sorted(set(line_codes)):
        wrong.append("line codes are not unique and in order")
    if len(stations) < LEAST_STATIONS:
        wrong.append(f"only {len(stations)} stations")
    if data["centre"] not in known:
        wrong.append("centre is not a station")
    on_lines, names = set(), {s["name"] for s in stations}
    for line in lines:
        if not COLOR.fullmatch(line["color"]):
            wrong.append(f"{line['name']}: color {line['color']}")
        for run in line["stations"]:
            on_lines.update(run)
            if len(run) < 2 or any(a == b for a, b in zip(run, run[1:])):
                wrong.append(f"{line['name']}: a run without two neighbours")
            wrong += [f"{line['name']}: unknown station {c}" for c in run if c not in known]
    for s in stations:
        label = f"{s['code']} {s['name']}"
        if s["code"] not in on_lines:
            wrong.append(f"{label}: on no line")
        if not YOMI.fullmatch(s["yomi"]):
            wrong.append(f"{label}: yomi {s['yomi']!r}")
        if not 1 <= s["prefecture"] <= 47:
            wrong.append(f"{label}: prefecture {s['prefecture']}")
        if not (35 < s["lat"] < 36 and 139 < s["lon"] < 141):
            wrong.append(f"{label}: position")
        wrong += [f"{label}: formerly {n}, a name in use" for n in s.get("formerly", []) if n in names]
        if [m["shape"] for m in s["marks"]] != ["rect", "circle"]:
            wrong.append(f"{label}: marks")
        for m in s["marks"]:
            left, top, right, bottom = bounds(m)
            if min(left, top) < MARGIN or right > data["width"] - MARGIN or bottom > data["height"] - MARGIN:
                wrong.append(f"{label}: outside the map")
        if distance(*s["marks"]) <= 0:
            wrong.append(f"{label}: name on its own circle")
    for i, s in enumerate(stations):
        for t in stations[i + 1:]:
            if min(distance(a, b) for a in s["marks"] for b in t["marks"]) < LEAST_GAP:
                wrong.append(f"{s['name']} and {t['name']} overlap")
    return wrong
