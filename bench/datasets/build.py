"""Measures the build of datasets of several sizes from a local web server, against the rate of the bare networks.

The server and the bare networks run by turns, some seconds each: a shared machine is not equally fast all the time, and
only what lies side by side can be compared. The server is stopped by a signal while the networks run.

make bench-datasets
"""

import asyncio
import json
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from io import BytesIO
from pathlib import Path

from PIL import Image

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "vision")]

from compare import CORES, INPUTS, PHOTOS, Kaisatsu, arguments, resident, run  # noqa: E402

SIZES = [500, 2000, 4000]
# What makes the vectors of a dataset: two networks, whose vectors are joined.
JOINED = "general-joined"
MEMBERS = {"general": INPUTS["general"], "general-lcnet": {"x": (1, 3, 224, 224)}}
# How long the server builds, and how long each network runs, in one turn.
SECONDS = 2
# The longer side of the pictures, as is common on the web.
SIDE = 640


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    files = pictures(options.photos, max(options.sizes))
    with Web(files) as web, tempfile.TemporaryDirectory() as name:
        return measure(options, web, Path(name), sum(map(len, files)) // len(files))


def measure(options, web: "Web", folder: Path, size: int) -> int:
    models = folder / "models"
    models.mkdir()
    for part in (JOINED, *MEMBERS, "runtime"):
        (models / part).symlink_to(options.models / part)
    print(
        f"{len(PHOTOS)} tags, JPEG of {SIDE} pixels, {size // 1024} kB on average, {CORES} threads; vectors of {JOINED}\n"
    )
    print(
        "| images | turns | both networks alone, images/s | dataset, images/s | ratio, median | least | most "
        "| until ready, s | resident MB before | all images embedded | peak, training |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|---|")
    all_ratios, filled = [], {}
    for count in options.sizes:
        turns, memory = build(options, web, folder, models, count)
        ratios = [rate / network for rate, network in turns]
        all_ratios += ratios
        filled[count] = memory["filled"]
        rate, network = (statistics.median(column) for column in zip(*turns))
        print(
            f"| {count} | {len(turns)} | {network:.1f} | {rate:.1f} | {statistics.median(ratios):.2f} "
            f"| {min(ratios):.2f} | {max(ratios):.2f} | {memory['ready']:.1f} | {memory['before']:.0f} "
            f"| {memory['filled']:.0f} | {memory['highest']:.0f} |",
            flush=True,
        )
    print(
        f"\nratio of the rates: {statistics.median(all_ratios):.2f}; memory when {max(filled)} images are embedded: "
        f"{filled[max(filled)] / filled[min(filled)]:.2f} times that of {min(filled)}"
    )
    return 0


def bare_networks(options, models: Path) -> float:
    """How many images both networks alone would embed in a second."""
    library, seconds = models / "runtime/libonnxruntime.so", 0.0
    for model, inputs in MEMBERS.items():
        shapes = [f"{name}={'x'.join(map(str, shape))}" for name, shape in inputs.items()]
        weights = models / model / "model.onnx"
        seconds += 1 / run(options.bench, "infer", library, weights, CORES, SECONDS, *shapes)["rate"]
    return 1 / seconds


def build(options, web: "Web", folder: Path, models: Path, count: int) -> tuple[list[tuple[float, float]], dict]:
    """The rates of the build and of the bare networks, turn by turn, and what the build took."""
    with Kaisatsu(options.kaisatsu, models, folder, ["--fetch-allow", web.place]) as server:
        user, pid = User(server), server.process.pid
        images = [
            {"url": f"http://{web.place}/{number}", "tag": PHOTOS[number % len(PHOTOS)]} for number in range(count)
        ]
        before = resident(pid)
        began, stopped, turns = time.perf_counter(), 0.0, []
        dataset = user.call("createDataSet", {"name": "bench", "images": images})["dataSetId"]

        def told() -> dict:
            return user.call("getDataSet", {"dataSetId": dataset, "limit": 0})

        def waiting() -> int:
            return told()["progress"]["pending"]

        while (left := waiting()) == count:
            time.sleep(0.05)
        while left:
            began_turn = time.perf_counter()
            time.sleep(SECONDS)
            after = waiting()
            rate = (left - after) / (time.perf_counter() - began_turn)
            if not after:
                break
            server.process.send_signal(signal.SIGSTOP)
            try:
                network, interval = timed(lambda: bare_networks(options, models))
            finally:
                server.process.send_signal(signal.SIGCONT)
            stopped += interval
            turns.append((rate, network))
            left = waiting()
        filled = peak(pid)
        while (now := told())["state"] not in ("ready", "failed"):
            time.sleep(0.2)
        ready = time.perf_counter() - began - stopped
        assert now["state"] == "ready" and now["progress"]["fetched"] == count, now
        return turns, {"ready": ready, "before": before, "filled": filled, "highest": peak(pid)}


def timed(work) -> tuple[float, float]:
    began = time.perf_counter()
    return work(), time.perf_counter() - began


def peak(pid: int) -> float:
    """The peak memory of a process in megabytes."""
    return int(re.search(r"VmHWM:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="utf-8"))[1]) / 1024


class User:
    """A user of the server's first application."""

    def __init__(self, server: Kaisatsu) -> None:
        self.base = f"http://{server.address}/imageRecognition/v1/userCategory"
        self.rest = f"APIKEY={server.key}"
        self.rest += f"&token={self.call('getToken', {'userId': 'bench'})['token']}"

    def call(self, operation: str, body: dict) -> dict:
        request = urllib.request.Request(
            f"{self.base}/{operation}?{self.rest}", json.dumps(body).encode(), {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


class Web:
    """A web server in a process of its own, so that it does not wait for this one. It reads its pictures from a file."""

    def __init__(self, files: list[bytes]) -> None:
        self.file = tempfile.NamedTemporaryFile()
        for one in files:
            self.file.write(len(one).to_bytes(4, "big") + one)
        self.file.flush()
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--serve", self.file.name], stdout=subprocess.PIPE, text=True
        )
        self.place = self.process.stdout.readline().strip()

    def __enter__(self) -> "Web":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.file.close()


def serve(file: str) -> None:
    files = []
    with open(file, "rb") as source:
        while length := source.read(4):
            files.append(source.read(int.from_bytes(length, "big")))

    class Connection(asyncio.Protocol):
        """Does as little as possible, to leave the cores to the server under test."""

        def connection_made(self, transport: asyncio.Transport) -> None:
            self.transport = transport

        def data_received(self, data: bytes) -> None:
            body = files[int(data.split(b" ", 2)[1].strip(b"/"))]
            head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            self.transport.writelines([head.encode(), body])
            self.transport.close()

    async def forever() -> None:
        server = await asyncio.get_running_loop().create_server(Connection, "127.0.0.1", 0)
        print(f"127.0.0.1:{server.sockets[0].getsockname()[1]}", flush=True)
        await server.serve_forever()

    asyncio.run(forever())


def pictures(photos: Path, count: int) -> list[bytes]:
    """Random crops of the photographs. Each photograph is a tag."""
    chance = random.Random(7)
    originals = [Image.open(photos / name).convert("RGB") for name in PHOTOS]
    files = []
    for number in range(count):
        image = originals[number % len(originals)]
        part = chance.uniform(0.5, 0.95)
        width, height = round(image.width * part), round(image.height * part)
        left, top = chance.randrange(image.width - width + 1), chance.randrange(image.height - height + 1)
        crop = image.crop((left, top, left + width, top + height))
        scale = SIDE / max(crop.size)
        out = BytesIO()
        crop.resize((round(crop.width * scale), round(crop.height * scale)), Image.Resampling.BILINEAR).save(
            out, "JPEG", quality=88
        )
        files.append(out.getvalue())
    return files


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        sys.exit(main())
