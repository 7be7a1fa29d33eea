"""Measures the build of datasets of several sizes from a local web server, against the rate of the bare network.

make bench-datasets
"""

import asyncio
import json
import random
import re
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
# The longer side of the pictures, as is common on the web.
SIDE = 640


def main() -> int:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    files = pictures(options.photos, max(SIZES))
    with Web(files) as web, tempfile.TemporaryDirectory() as name:
        return measure(options, web, Path(name), sum(map(len, files)) // len(files))


def measure(options, web: "Web", folder: Path, size: int) -> int:
    models = folder / "models"
    models.mkdir()
    for part in ("general", "runtime"):
        (models / part).symlink_to(options.models / part)
    print(f"{len(PHOTOS)} tags, JPEG of {SIDE} pixels, {size // 1024} kB on average, {CORES} threads\n")
    print(
        "| images | network alone, runs/s | dataset, images/s | ratio | until ready, s | resident MB before | all images embedded | peak, training |"
    )
    print("|---|---|---|---|---|---|---|---|")
    ratios, filled = [], {}
    for count in SIZES:
        rounds = [
            one_round(options, web, folder, models, count) for _ in range(options.rounds if count < max(SIZES) else 1)
        ]
        middle = {what: statistics.median(one[what] for one in rounds) for what in rounds[0]}
        ratios.append(middle["ratio"])
        filled[count] = middle["filled"]
        print(
            f"| {count} | {middle['network']:.1f} | {middle['rate']:.1f} | {middle['ratio']:.2f} | {middle['ready']:.1f} "
            f"| {middle['before']:.0f} | {middle['filled']:.0f} | {middle['highest']:.0f} |",
            flush=True,
        )
    print(
        f"\nratio of the rates: {statistics.median(ratios):.2f}; memory when {max(SIZES)} images are embedded: "
        f"{filled[max(SIZES)] / filled[min(SIZES)]:.2f} times that of {min(SIZES)}"
    )
    return 0


def bare_network(options, models: Path) -> float:
    """The rate of the network by itself."""
    shapes = [f"{name}={'x'.join(map(str, shape))}" for name, shape in INPUTS["general"].items()]
    library, weights = models / "runtime/libonnxruntime.so", models / "general/model.onnx"
    return run(options.bench, "infer", library, weights, CORES, 4, *shapes)["rate"]


def one_round(options, web: "Web", folder: Path, models: Path, count: int) -> dict:
    # Before and after, because a machine that is shared, or that grows warm, is not equally fast all the time.
    before = bare_network(options, models)
    measured = build(options, web, folder, models, count)
    network = (before + bare_network(options, models)) / 2
    return measured | {"network": network, "ratio": measured["rate"] / network}


def build(options, web: "Web", folder: Path, models: Path, count: int) -> dict:
    words = ["--fetch-allow", web.place]
    with Kaisatsu(options.kaisatsu, models, folder, words) as server:
        user = User(server)
        images = [
            {"url": f"http://{web.place}/{number}", "tag": PHOTOS[number % len(PHOTOS)]} for number in range(count)
        ]
        before = resident(server.process.pid)
        began = time.perf_counter()
        dataset = user.call("createDataSet", {"name": "bench", "images": images})["dataSetId"]
        looked = filled = None
        while True:
            told = user.call("getDataSet", {"dataSetId": dataset, "limit": 0})
            if looked is None and told["progress"]["pending"] == 0:
                looked, filled = time.perf_counter() - began, peak(server.process.pid)
            if told["state"] in ("ready", "failed"):
                break
            time.sleep(0.2)
        ready = time.perf_counter() - began
        assert told["state"] == "ready" and told["progress"]["fetched"] == count, told
        return {
            "rate": count / looked,
            "ready": ready,
            "before": before,
            "filled": filled,
            "highest": peak(server.process.pid),
        }


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
