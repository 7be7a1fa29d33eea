"""Draws what scale.py measured, cost over size, as an SVG that is readable in light and dark.

    python bench/nearest/scale_plot.py target/bench-scale.json docs/pictures/scale.svg

Every panel has logarithmic axes. What a row lacks is left out. Only the standard library is needed.
"""

import json
import math
import sys
from pathlib import Path

WIDTH, HEIGHT, LEFT, TOP, GAP = 300, 220, 62, 46, 70

# Panels: a title, and lines with a name, the key of what is measured, a divisor and a class.
PANELS = [
    ("processor ms of PostgreSQL for a search",
     [("Kaisatsu", "product_server_ms", 1, "a"), ("plain SQL", "sql_server_ms", 1, "b")]),
    ("MB", [("rows of the images", "row_bytes", 1e6, "c"), ("HNSW index", "index_bytes", 1e6, "b"),
            ("a replica's memory", "megabytes", 1, "a")]),
    ("processor seconds", [("PostgreSQL: the move", "move_cpu_seconds", 1, "b"),
                           ("a replica: its start", "ready_cpu_seconds", 1, "a")]),
]

STYLE = """
text { font: 12px sans-serif; fill: #24292f }
.title { font-weight: bold }
.grid { stroke: #8884; stroke-width: 1 }
.line { fill: none; stroke-width: 2 }
.a { stroke: #0969da } .b { stroke: #bc4c00 } .c { stroke: #6e7781 }
.dot.a, .name.a { fill: #0969da; stroke: none } .dot.b, .name.b { fill: #bc4c00; stroke: none }
.dot.c, .name.c { fill: #6e7781; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3 }
  .a { stroke: #58a6ff } .b { stroke: #f0883e } .c { stroke: #9198a1 }
  .dot.a, .name.a { fill: #58a6ff } .dot.b, .name.b { fill: #f0883e } .dot.c, .name.c { fill: #9198a1 }
}
"""


def main() -> int:
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    measured = [row for row in json.loads(Path(sys.argv[1]).read_text()) if row["kind"] == "clustered"]
    # The number of components for which there are the most sizes.
    dims = max({row["dims"] for row in measured}, key=lambda dims: sum(row["dims"] == dims for row in measured))
    rows = sorted((row for row in measured if row["dims"] == dims), key=lambda row: row["count"])
    drawn = "".join(panel(number, title, lines, rows) for number, (title, lines) in enumerate(PANELS))
    width, height = len(PANELS) * (WIDTH + GAP) + 20, HEIGHT + TOP + 46
    Path(sys.argv[2]).write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
        f"<title>What a collection of vectors of {dims} components costs, by the number of its images</title>\n"
        f"<style>{STYLE}</style>\n{drawn}</svg>\n")
    return 0


def panel(number: int, title: str, lines: list, rows: list[dict]) -> str:
    left = LEFT + number * (WIDTH + GAP)
    counts = [row["count"] for row in rows]
    values = [row[key] / divisor for row in rows for _, key, divisor, _ in lines if key in row]
    across, up = decades(counts), decades(values)

    def x(count: float) -> float:
        return left + WIDTH * (math.log10(count) - across[0]) / (across[-1] - across[0])

    def y(value: float) -> float:
        return TOP + HEIGHT * (up[-1] - math.log10(value)) / (up[-1] - up[0])

    out = [f'<text class="title" x="{left}" y="{TOP - 28}">{title}</text>']
    for power in across:
        at = x(10**power)
        out.append(f'<path class="grid" d="M{at:.1f} {TOP}V{TOP + HEIGHT}"/>')
        out.append(f'<text x="{at:.1f}" y="{TOP + HEIGHT + 18}" text-anchor="middle">{label(power)}</text>')
    for power in up:
        at = y(10**power)
        out.append(f'<path class="grid" d="M{left} {at:.1f}H{left + WIDTH}"/>')
        out.append(f'<text x="{left - 6}" y="{at + 4:.1f}" text-anchor="end">{label(power)}</text>')
    out.append(f'<text x="{left + WIDTH}" y="{TOP + HEIGHT + 36}" text-anchor="end">images</text>')
    along = left
    for name, key, divisor, colour in lines:
        points = [(x(row["count"]), y(row[key] / divisor)) for row in rows if key in row]
        path = "L".join(f"{at:.1f} {height:.1f}" for at, height in points)
        out.append(f'<path class="line {colour}" d="M{path}"/>')
        out += [f'<circle class="dot {colour}" cx="{at:.1f}" cy="{height:.1f}" r="3.5"/>' for at, height in points]
        out.append(f'<text class="name {colour}" x="{along}" y="{TOP - 10}">{name}</text>')
        along += 7 * len(name) + 16
    return "\n".join(out) + "\n"


def decades(values: list[float]) -> list[int]:
    """The powers of ten around some values."""
    least, most = math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))
    return list(range(least, max(most, least + 1) + 1))


def label(power: int) -> str:
    if power >= 6:
        return f"{10 ** (power - 6)} M"
    if power >= 3:
        return f"{10 ** (power - 3)} k"
    return f"{10.0 ** power:g}"


if __name__ == "__main__":
    sys.exit(main())
