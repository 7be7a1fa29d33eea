#!/usr/bin/env python3
"""Builds the route map of Tokyo. See README.md beside this file."""

import argparse
import sys
import tempfile
import tomllib
from pathlib import Path

import mapfile
import network
import readings
import sources
from layout import Layout

HERE = Path(__file__).resolve().parent
MAP = HERE.parents[1] / "crates" / "railmap" / "maps" / "tokyo.toml"
CENTRE = "東京"


def settle_readings(net: network.Network, cache: Path, fixes: dict) -> int:
    """Gives each station its reading. Returns how many names were settled by hand."""
    names = list(dict.fromkeys(s.name for s in net.stations.values()))
    skk, sudachi = sources.skk_readings(cache), sources.sudachi_readings(cache, names)
    found, by_hand, problems = readings.settle(names, skk, sudachi, fixes["reading"])
    if problems:
        sys.exit("readings to settle in corrections.toml:\n" + "\n".join(problems))
    for station in net.stations.values():
        station.yomi = found[station.name]
    return len(by_hand)


def unused(net: network.Network, fixes: dict) -> list[str]:
    """Corrections that no longer correct anything."""
    names = {s.name for s in net.stations.values()}
    tables = [(t, n) for t in ("formerly", "prefecture", "position") for n in fixes[t]]
    tables += [("renamed", r["now"]) for r in fixes["renamed"]]
    return [f"corrections: {table}: {name} is not on the map" for table, name in tables if name not in names]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cache", type=Path, default=Path(tempfile.gettempdir()) / "kaisatsu-tokyo-map",
                         help="folder for the fetched packages (default: in the temporary folder)")
    options.add_argument("--out", type=Path, default=MAP, help="the file to write")
    given = options.parse_args()
    cache = given.cache.resolve()
    cache.mkdir(parents=True, exist_ok=True)
    sources.need("node", "npm", "tar", "apt-get", "dpkg-deb")

    fixes = tomllib.loads((HERE / "corrections.toml").read_text(encoding="utf-8"))
    net = network.build(sources.train_lines(cache), fixes)
    by_hand = settle_readings(net, cache, fixes)
    layout = Layout(net)
    width, height = layout.place()
    centre = next(s.code for s in net.stations.values() if s.name == CENTRE)
    text = mapfile.write(net, layout, width, height, centre)

    wrong = unused(net, fixes) + mapfile.check(text)
    if wrong:
        sys.exit("\n".join(wrong))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text(text, encoding="utf-8", newline="\n")

    names = len({s.name for s in net.stations.values()})
    print(f"stations  {len(net.stations)} (from {net.line_stations} line-stations, {len(fixes['opened'])} added by hand)")
    print(f"lines     {len(net.lines)}, left out by hand: {sum('drop' in f for f in fixes['line'])}")
    print(f"dropped   edges: {', '.join(net.dropped_edges) or 'none'}; "
          f"stations without a neighbour: {', '.join(net.dropped_stations) or 'none'}")
    print(f"readings  {names - by_hand} agreed, {by_hand} settled by hand")
    print(f"map       {width} x {height}, neighbours on their true side: {layout.faithful():.1%}")


if __name__ == "__main__":
    main()
