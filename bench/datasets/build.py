"""Builds datasets of several sizes from a local web server, beside the rate of the bare network, and watches the memory.

    make bench-datasets
"""

import http.server
import json
import random
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

SIZES = [250, 1000, 4000]
# The longer side of the pictures: what the web is full of.
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
    print("| images | network alone, runs/s | dataset, images/s | ratio | until it can be used, s | resident MB before | highest | after |")
    print("|---|---|---|---|---|---|---|---|")
    ratios, peaks = [], {}
    for count in SIZES:
        rounds = [one_round(options, web, folder, models, count) for _ in range(options.rounds if count < max(SIZES) else 1)]
        middle = {what: statistics.median(one[what] for one in rounds) for what in rounds[0]}
        ratios.append(middle["ratio"])
        peaks[count] = middle["highest"]
        print(f"| {count} | {middle['network']:.1f} | {middle['rate']:.1f} | {middle['ratio']:.2f} | {middle['ready']:.1f} "
              f"| {middle['before']:.0f} | {middle['highest']:.0f} | {middle['after']:.0f} |", flush=True)
    print(f"\nratio of the rates: {statistics.median(ratios):.2f}; highest memory with {max(SIZES)} images "
          f"{peaks[max(SIZES)] / peaks[min(SIZES)]:.2f} times that with {min(SIZES)}")
    return 0


def one_round(options, web: "Web", folder: Path, models: Path, count: int) -> dict:
    shapes = [f"{name}={'x'.join(map(str, shape))}" for name, shape in INPUTS["general"].items()]
    network = run(options.bench, "infer", models / "runtime/libonnxruntime.so", models / "general/model.onnx", CORES, 4, *shapes)["rate"]
    words = ["--fetch-allow", web.place]
    with Kaisatsu(options.kaisatsu, models, folder, words) as server:
        user = User(server)
        images = [{"url": f"http://{web.place}/{number}", "tag": PHOTOS[number % len(PHOTOS)]} for number in range(count)]
        before = resident(server.process.pid)
        began = time.perf_counter()
        dataset = user.call("createDataSet", {"name": "bench", "images": images})["dataSetId"]
        highest, looked = before, None
        while True:
            told = user.call("getDataSet", {"dataSetId": dataset, "limit": 0})
            highest = max(highest, resident(server.process.pid))
            if looked is None and told["progress"]["pending"] == 0:
                looked = time.perf_counter() - began
            if told["state"] in ("ready", "failed"):
                break
            time.sleep(0.1)
        ready = time.perf_counter() - began
        assert told["state"] == "ready" and told["progress"]["fetched"] == count, told
        return {"network": network, "rate": count / looked, "ratio": count / looked / network, "ready": ready,
                "before": before, "highest": highest, "after": resident(server.process.pid)}


class User:
    """A user of the server's first application."""

    def __init__(self, server: Kaisatsu) -> None:
        self.base = f"http://{server.address}/imageRecognition/v1/userCategory"
        self.rest = f"APIKEY={server.key}"
        self.rest += f"&token={self.call('getToken', {'userId': 'bench'})['token']}"

    def call(self, operation: str, body: dict) -> dict:
        request = urllib.request.Request(f"{self.base}/{operation}?{self.rest}", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)


class Web:
    """A web server of its own process, so that it does not wait for this one. It gets its pictures through a file."""

    def __init__(self, files: list[bytes]) -> None:
        self.file = tempfile.NamedTemporaryFile()
        for one in files:
            self.file.write(len(one).to_bytes(4, "big") + one)
        self.file.flush()
        self.process = subprocess.Popen([sys.executable, __file__, "--serve", self.file.name], stdout=subprocess.PIPE, text=True)
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

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = files[int(self.path.strip("/"))]
            self.send_response(200)
            self.send_header("Content-Type", "image/jpeg")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(f"127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


def pictures(photos: Path, count: int) -> list[bytes]:
    """Different parts of the photographs, a photograph being a tag."""
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
        crop.resize((round(crop.width * scale), round(crop.height * scale)), Image.Resampling.BILINEAR).save(out, "JPEG", quality=88)
        files.append(out.getvalue())
    return files


if __name__ == "__main__":
    if sys.argv[1:2] == ["--serve"]:
        serve(sys.argv[2])
    else:
        sys.exit(main())
