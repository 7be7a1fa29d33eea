"""Collections of growing size in PostgreSQL behind three replicas: searches beside plain SQL, and what they cost.

    make bench-scale COUNTS="10000 100000" DIMENSIONS=512

For each size: rows are copied into an empty database as the store keeps them, the collection is moved by the steps of
the store, and three servers start. Then three processes search as the server does, three others by plain SQL over the
same index, and three more by plain SQL that also reads the rows of the best ten, in turns. At last images are removed
while they are searched for, and some are added. With --by-servers, the servers move the collection themselves, after
each has read it into its memory. Prints a
table, and writes what was measured to a JSON file, of which scale_plot.py makes the picture in docs/. Run below
tools/with-postgres; only the standard library is needed.
"""

import argparse
import json
import os
import platform
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

REPLICAS = 3
SIDES = ["product", "sql", "rows"]
TICKS = os.sysconf("SC_CLK_TCK")
MOVED_WITHIN = 6 * 3600  # seconds
READY_WITHIN = 300


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bench", required=True, type=Path, help="the built bench-nearest")
    parser.add_argument("--kaisatsu", required=True, type=Path, help="the built server")
    parser.add_argument("--counts", type=int, nargs="+", default=[10_000, 100_000])
    parser.add_argument("--dimensions", type=int, default=512)
    parser.add_argument("--vectors", type=Path, help="a folder with vectors.f32 and queries.f32, as crops.py makes it")
    parser.add_argument("--clients", type=int, default=2, help="connections of each of the three processes")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--seconds", type=float, default=3.0, help="length of a round of each")
    parser.add_argument("--removals", type=int, default=200)
    parser.add_argument("--additions", type=int, default=500)
    parser.add_argument("--by-servers", action="store_true", help="let the servers move the collection")
    parser.add_argument("--json", required=True, type=Path, help="where measurements are kept, by kind and size")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that everything is cleaned up
    kept = json.loads(options.json.read_text()) if options.json.exists() else []
    for count in options.counts:
        with tempfile.TemporaryDirectory(prefix="kaisatsu-scale-") as folder:
            row = Measurement(options, Path(folder)).run(count)
        same = ("kind", "count", "dims")
        kept = [other for other in kept if [other[key] for key in same] != [row[key] for key in same]] + [row]
        kept.sort(key=lambda row: (row["kind"], row["dims"], row["count"]))
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(kept, indent=1) + "\n")
    print_tables(kept)
    return 0


class Measurement:
    def __init__(self, options, folder: Path) -> None:
        self.options, self.folder, self.postgres = options, folder, 0

    def bench(self, *words: object) -> dict:
        printed = subprocess.run([self.options.bench, "scale", *map(str, words)], check=True, capture_output=True,
                                 text=True)
        return json.loads(printed.stdout)

    def run(self, count: int) -> dict:
        options = self.options
        if options.vectors:
            for name in ("vectors.f32", "queries.f32"):
                (self.folder / name).symlink_to((options.vectors / name).resolve())
        row = {"kind": "crops" if options.vectors else "clustered", "processor": processor()}
        row |= self.bench("load", self.folder, count, options.dimensions)
        self.address = row.pop("address")
        say(f"{row['count']} x {options.dimensions}: loaded in {row['load_seconds']:.0f} s")
        replicas = [Replica(options.kaisatsu, self.address, self.folder / f"replica-{number}")
                    for number in range(REPLICAS)]
        try:
            self.postgres = self.bench("facts", self.address)["postgres"]
            used = self.postgres_seconds(True)
            row |= self.move_by_servers(replicas, row["count"]) if options.by_servers else self.move()
            facts = self.bench("facts", self.address)
            row |= {key: facts[key] for key in ("dims", "index_bytes", "part_bytes", "row_bytes")}
            row["move_cpu_seconds"] = self.postgres_seconds(True) - used
            row |= self.restart(replicas)
            row |= self.search()
            row |= self.bench("remove", self.address, options.removals)
            row |= self.bench("add", self.address, options.additions)
        finally:
            for replica in replicas:
                replica.stop()
        return row

    def move(self) -> dict:
        """Moves the collection without servers."""
        took = self.bench("move", self.address, self.options.dimensions)
        say(f"  filled after {took['fill_seconds']:.0f} s, indexed after {took['index_seconds']:.0f} s more")
        return {"move_seconds": took["fill_seconds"] + took["index_seconds"], "index_seconds": took["index_seconds"]}

    def move_by_servers(self, replicas: list["Replica"], count: int) -> dict:
        """Starts the replicas and waits until one of them has moved the collection and all know it."""
        began, filled = time.monotonic(), 0.0
        for replica in replicas:
            replica.start()
        while True:
            for replica in replicas:
                replica.check()
            facts = self.bench("facts", self.address)
            spent = time.monotonic() - began
            if not filled and facts.get("images", 0) >= count:
                filled = spent
                say(f"  filled after {filled:.0f} s")
            if facts["state"] == "answering":
                break
            if spent > MOVED_WITHIN:
                sys.exit("the collection does not move")
            time.sleep(0.5)
        for replica in replicas:
            replica.wait()
        say(f"  moved after {spent:.0f} s, of which {spent - filled:.0f} s for the index")
        return {"move_seconds": spent, "index_seconds": spent - filled,
                "peak_megabytes_move": max(replica.memory("VmHWM") for replica in replicas)}

    def restart(self, replicas: list["Replica"]) -> dict:
        """Starts each replica again, one after another, and looks what it takes."""
        ready, used = [], []
        for replica in replicas:
            replica.stop()
            began = time.monotonic()
            replica.start()
            replica.wait()
            ready.append(time.monotonic() - began)
            used.append(processor_seconds(replica.process.pid))
        time.sleep(3)
        return {"ready_seconds": statistics.median(ready), "ready_seconds_most": max(ready),
                "ready_cpu_seconds": statistics.median(used),
                "megabytes": statistics.median(replica.memory("VmRSS") for replica in replicas),
                "peak_megabytes": max(replica.memory("VmHWM") for replica in replicas)}

    def search(self) -> dict:
        """Searches in turns as the server does it, by plain SQL, and by plain SQL that reads rows."""
        options = self.options
        words = [options.bench, "scale", "search", self.address, self.folder]
        sides = {side: [Searcher([*words, side, str(options.clients)]) for _ in range(REPLICAS)]
                 for side in SIDES}
        try:
            recall = {side: float(searchers[0].ask("recall")) for side, searchers in sides.items()}
            for searchers in sides.values():
                self.round(searchers, 2.0)
            rounds = {side: [] for side in sides}
            for number in range(options.rounds):
                # In turns, and each first as often as the others.
                for side in SIDES[number % 3:] + SIDES[:number % 3]:
                    rounds[side].append(self.round(sides[side], options.seconds))
        finally:
            for searchers in sides.values():
                for searcher in searchers:
                    searcher.stop()
        found = {"connections": options.clients * REPLICAS}
        for side, measured in rounds.items():
            found |= {f"{side}_{key}": statistics.median(one[key] for one in measured)
                      for key in ("rate", "p50_ms", "p99_ms", "server_ms", "client_ms")}
            found[f"{side}_recall"] = recall[side]
        for prefix, side in (("", "sql"), ("rows_", "rows")):
            for key in ("rate", "server_ms"):
                ratios = [ours[key] / plain[key] for ours, plain in zip(rounds["product"], rounds[side])]
                found |= {f"{prefix}{key}_ratio": statistics.median(ratios),
                          f"{prefix}{key}_ratio_range": [min(ratios), max(ratios)]}
        say(f"  {found['product_rate']:.0f} searches/s, plain SQL {found['sql_rate']:.0f}, with rows "
            f"{found['rows_rate']:.0f}")
        return found

    def round(self, searchers: list["Searcher"], seconds: float) -> dict:
        server, client = self.postgres_seconds(False), sum(searcher.seconds() for searcher in searchers)
        for searcher in searchers:
            searcher.tell(str(seconds))
        answers = [json.loads(searcher.line()) for searcher in searchers]
        server = self.postgres_seconds(False) - server
        client = sum(searcher.seconds() for searcher in searchers) - client
        took = sorted(time for answer in answers for time in answer["microseconds"])
        rate = sum(len(answer["microseconds"]) / answer["seconds"] for answer in answers)
        return {"rate": rate, "p50_ms": took[len(took) // 2] / 1000, "p99_ms": took[len(took) * 99 // 100] / 1000,
                "server_ms": server * 1000 / len(took), "client_ms": client * 1000 / len(took)}

    def postgres_seconds(self, ended: bool) -> float:
        """The processor time of the PostgreSQL server; `ended` adds that of its processes that have ended."""
        total = 0.0
        for stat in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = stat.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == self.postgres:
                total += (int(fields[11]) + int(fields[12])) / TICKS
            if ended and stat.parent.name == str(self.postgres):
                total += (int(fields[13]) + int(fields[14])) / TICKS
        return total


class Searcher:
    """A process that searches when it is told to."""

    def __init__(self, words: list) -> None:
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        if self.line() != "ready":
            sys.exit("a process that searches did not start")

    def tell(self, line: str) -> None:
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def line(self) -> str:
        return self.process.stdout.readline().strip()

    def ask(self, line: str) -> str:
        self.tell(line)
        return self.line()

    def seconds(self) -> float:
        return processor_seconds(self.process.pid)

    def stop(self) -> None:
        self.process.stdin.close()
        self.process.wait(30)


class Replica:
    """A server without models: what it takes is for the collection."""

    def __init__(self, binary: Path, database: str, folder: Path) -> None:
        (folder / "models").mkdir(parents=True)
        self.log, self.process, self.address = folder / "log", None, ""
        self.words = [binary, "--database", database, "--models", folder / "models", "serve", "--data", folder / "data",
                      "--listen", "127.0.0.1:0", "--vectors", "auto", "--vectors-threshold", "1000"]

    def start(self) -> None:
        with self.log.open("w") as log:
            self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        self.address = ""

    def check(self) -> None:
        if self.process.poll() is not None:
            sys.exit("a server ended:\n" + self.log.read_text())

    def wait(self) -> None:
        """Until it is ready."""
        ends = time.monotonic() + READY_WITHIN
        while time.monotonic() < ends:
            self.check()
            if not self.address:
                heard = re.search(r"127\.0\.0\.1:[1-9]\d*", self.log.read_text())
                self.address = heard[0] if heard else ""
            else:
                try:
                    with urllib.request.urlopen(f"http://{self.address}/readyz", timeout=5):
                        return
                except (urllib.error.URLError, OSError):
                    pass
            time.sleep(0.02)
        sys.exit("a server is not ready:\n" + self.log.read_text())

    def memory(self, field: str) -> float:
        """Megabytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{field}:\s+(\d+)", status)[1]) * 1024 / 1e6

    def stop(self) -> None:
        if self.process and self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)


def print_tables(rows: list[dict]) -> None:
    print("\n| vectors | searches/s | plain SQL | ratio | with rows | ratio | p99 ms | plain SQL | with rows "
          "| ms of PostgreSQL | plain SQL | with rows | ms of the searching process | plain SQL | with rows "
          "| recall@10 |")
    print("|" + "---|" * 16)
    for row in rows:
        (low, high), (lowest, highest) = row["rate_ratio_range"], row["rows_rate_ratio_range"]
        sides = [[f"{row[f'{side}_{key}']:.2f}" for side in SIDES] for key in ("p99_ms", "server_ms", "client_ms")]
        print(f"| {name(row)} | {row['product_rate']:.0f} | {row['sql_rate']:.0f} "
              f"| {row['rate_ratio']:.2f} ({low:.2f}–{high:.2f}) | {row['rows_rate']:.0f} "
              f"| {row['rows_rate_ratio']:.2f} ({lowest:.2f}–{highest:.2f}) "
              f"| {' | '.join(' | '.join(values) for values in sides)} | {row['product_recall']:.3f} |")
    print("\n| vectors | move s | of it index s | PostgreSQL CPU s | index MB | table and indexes MB | rows MB | replica "
          "MB (most) | ready after s (most) | of it CPU | removed, still answered | additions/s |")
    print("|" + "---|" * 12)
    for row in rows:
        sizes = " | ".join(f"{row[key] / 1e6:.0f}" for key in ("index_bytes", "part_bytes", "row_bytes"))
        print(f"| {name(row)} | {row['move_seconds']:.0f} | {row['index_seconds']:.0f} | {row['move_cpu_seconds']:.0f} "
              f"| {sizes} | {row['megabytes']:.0f} ({row['peak_megabytes']:.0f}) "
              f"| {row['ready_seconds']:.2f} ({row['ready_seconds_most']:.2f}) "
              f"| {row['ready_cpu_seconds']:.1f} | {row['answered']} of {row['asked']} "
              f"| {row['added'] / row['add_seconds']:.0f} |")


def name(row: dict) -> str:
    return f"{row['count']:,} × {row['dims']}, {row['kind']}"


def processor_seconds(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def processor() -> str:
    found = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    return f"{os.cpu_count()} × {found[1] if found else platform.machine()}"


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
