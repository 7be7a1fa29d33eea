"""Classification beside object recognition, on a PostgreSQL that answers at once and on one that answers 20 ms late.

    make bench-slow-database

Object recognition reads reference pictures from the database between two steps on the engine. If a thread of the engine
waited for them, every picture beside it would wait too. The server runs on a database behind a proxy that delays each
answer. Clients send photographs that show no item of the catalogue, which takes the most rounds of voting and fetching,
and beside them others classify photographs. The figure is the rate of classifications: late answers over prompt ones.
The two are measured in turns, in one run. Only the standard library is needed.
"""

import argparse
import asyncio
import csv
import http.client
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

ITEMS = ["box.png", "graf1.png", "leuvenA.jpg", "motorcycle_left.png", "brick.png", "camera.png", "coins.png",
         "moon.png"]
STRANGERS = ["astronaut.png", "chelsea.png", "coffee.png", "rocket.jpg"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kaisatsu", required=True, type=Path, help="the built server")
    parser.add_argument("--models", required=True, type=Path)
    parser.add_argument("--photos", required=True, type=Path)
    parser.add_argument("--database", default=os.environ.get("KAISATSU_TEST_POSTGRES"), help="an empty PostgreSQL")
    parser.add_argument("--delay", type=float, default=0.020, help="seconds by which answers are late")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--classifying", type=int, default=8, help="clients that classify")
    parser.add_argument("--recognising", type=int, default=4, help="clients that recognise objects")
    options = parser.parse_args()
    if not options.database:
        sys.exit("no database: run this below tools/with-postgres, or name one with --database")
    with tempfile.TemporaryDirectory() as name, Proxy(options.database) as proxy:
        return measure(options, proxy, Path(name))


def measure(options, proxy: "Proxy", folder: Path) -> int:
    import_catalogue(options, folder)
    found: dict[float, list[dict]] = {0.0: [], options.delay: []}
    with Server(options, proxy.address, folder) as server:
        proxy.delay(0.0)
        load(options, server, 2.0)
        for number in range(options.rounds):
            # In turns, and each first as often as the other.
            for delay in sorted(found, reverse=number % 2 == 1):
                proxy.delay(delay)
                time.sleep(0.2)
                found[delay].append(load(options, server, options.seconds))
    threads = os.cpu_count()
    print(f"{options.classifying} clients classify, {options.recognising} recognise objects, {threads} threads, "
          f"{options.rounds} rounds of {options.seconds:.0f} s each\n")
    print("| answers of the database | classifications/s | median ms | object recognitions/s | median ms |")
    print("|---|---|---|---|---|")
    for delay, rounds in found.items():
        name = "prompt" if delay == 0.0 else f"{delay * 1000:.0f} ms late"
        rate = {what: statistics.median(one[what] for one in rounds) for what in rounds[0]}
        print(f"| {name} | {rate['classify']:.1f} | {rate['classify_ms']:.0f} | {rate['objects']:.1f} "
              f"| {rate['objects_ms']:.0f} |")
    ratios = [late["classify"] / prompt["classify"] for prompt, late in zip(found[0.0], found[options.delay])]
    print(f"\nclassifications, late over prompt: {statistics.median(ratios):.2f} "
          f"(from {min(ratios):.2f} to {max(ratios):.2f})")
    return 0


def import_catalogue(options, folder: Path) -> None:
    file = folder / "catalogue.csv"
    with open(file, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["id", "category", "name", "image"])
        rows.writerows([name, "book", Path(name).stem, name] for name in ITEMS)
    settings = ["--models", options.models, "--database", options.database]
    command = [options.kaisatsu, *settings, "catalogue", "import", file, "--pictures", options.photos]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def load(options, server: "Server", seconds: float) -> dict:
    """Sends pictures for a while; how many were answered in a second, and how long one took."""
    ends = time.perf_counter() + seconds
    took: dict[str, list[float]] = {"classify": [], "objects": []}
    failed: list[str] = []
    clients = [(what, number) for what, count in (("classify", options.classifying), ("objects", options.recognising))
               for number in range(count)]

    def client(what: str, number: int) -> None:
        picture = (options.photos / STRANGERS[number % len(STRANGERS)]).read_bytes()
        connection = http.client.HTTPConnection(*server.place)
        while time.perf_counter() < ends and not failed:
            began = time.perf_counter()
            target, body, kind = server.request(what, picture)
            connection.request("POST", target, body, {"Content-Type": kind})
            answer = connection.getresponse()
            text = answer.read()
            if answer.status != 200:
                failed.append(f"{what}: {answer.status} {text[:200]!r}")
            took[what].append(time.perf_counter() - began)

    threads = [threading.Thread(target=client, args=one) for one in clients]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    span = time.perf_counter() - began
    if failed:
        sys.exit(failed[0])
    result = {}
    for what, times in took.items():
        result |= {what: len(times) / span, f"{what}_ms": statistics.median(times or [0.0]) * 1000}
    return result


class Server:
    """The server that is measured."""

    def __init__(self, options, database: str, folder: Path) -> None:
        create = [options.kaisatsu, "key", "create", "--app", "bench", "--database", options.database]
        printed = subprocess.run(create, check=True, capture_output=True, text=True).stdout
        self.key = re.search(r"kst_\w+", printed)[0]
        self.place = ("127.0.0.1", free_port())
        self.out = folder / "out"
        listen = "%s:%d" % self.place
        words = [options.kaisatsu, "--database", database, "--models", options.models, "serve", "--data",
                 folder / "data", "--listen", listen]
        with open(self.out, "w", encoding="utf-8") as out:
            self.process = subprocess.Popen(words, stdout=out, stderr=out)
        self.wait()

    def wait(self) -> None:
        for _ in range(600):
            if self.process.poll() is not None:
                sys.exit(self.out.read_text(encoding="utf-8"))
            try:
                connection = http.client.HTTPConnection(*self.place, timeout=5)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        sys.exit("the server is not ready")

    def request(self, what: str, picture: bytes) -> tuple[str, bytes, str]:
        if what == "objects":
            return f"/imageRecognition/v1/recognize?APIKEY={self.key}", picture, "application/octet-stream"
        edge = "----picture"
        head = f'--{edge}\r\nContent-Disposition: form-data; name="image"; filename="p"\r\n' \
               "Content-Type: application/octet-stream\r\n\r\n"
        body = head.encode() + picture + f"\r\n--{edge}--\r\n".encode()
        return f"/imageRecognition/v1/concept/classify?APIKEY={self.key}", body, f"multipart/form-data; boundary={edge}"

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(30)


class Proxy:
    """A TCP proxy in a process of its own. It passes what the database sends on after a while, in order."""

    def __init__(self, database: str) -> None:
        parts = urlsplit(database)
        upstream = f"{parts.hostname}:{parts.port or 5432}"
        words = [sys.executable, __file__, "--proxy", upstream]
        self.process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        port = int(self.process.stdout.readline())
        user = parts.netloc.rpartition("@")[0]
        place = f"{user}@127.0.0.1:{port}" if user else f"127.0.0.1:{port}"
        self.address = urlunsplit(parts._replace(netloc=place))

    def delay(self, seconds: float) -> None:
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)


def run_proxy(upstream: str) -> None:
    host, port = upstream.rsplit(":", 1)
    late = {"by": 0.0}

    async def connected(client: asyncio.StreamReader, to_client: asyncio.StreamWriter) -> None:
        database, to_database = await asyncio.open_connection(host, int(port))
        questions = pass_on(client, to_database, lambda: 0.0)
        await asyncio.gather(questions, pass_on(database, to_client, lambda: late["by"]))

    async def pass_on(source: asyncio.StreamReader, target: asyncio.StreamWriter, delay) -> None:
        loop, due = asyncio.get_running_loop(), 0.0
        while data := await source.read(1 << 16):
            # Never before what came earlier, also when the delay has just been changed.
            due = max(due, loop.time() + delay())
            if due > loop.time():
                loop.call_at(due, target.write, data)
            else:
                target.write(data)
        loop.call_at(max(due, loop.time()) + 0.001, target.close)

    async def forever() -> None:
        server = await asyncio.start_server(connected, "127.0.0.1", 0)
        print(server.sockets[0].getsockname()[1], flush=True)
        loop = asyncio.get_running_loop()

        def read() -> None:
            line = sys.stdin.readline()
            if line:
                late["by"] = float(line)
            else:
                loop.remove_reader(sys.stdin)

        loop.add_reader(sys.stdin, read)
        await server.serve_forever()

    asyncio.run(forever())


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


if __name__ == "__main__":
    if sys.argv[1:2] == ["--proxy"]:
        run_proxy(sys.argv[2])
    else:
        sys.exit(main())
