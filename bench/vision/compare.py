"""Measures Kaisatsu's image recognition against Python: first the networks alone, then both servers over HTTP.

make bench-vision
"""

import argparse
import json
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

import numpy as np
import onnxruntime
from PIL import Image

HERE = Path(__file__).resolve().parent
CORES = os.cpu_count() or 1
LOADED = ["general", "coco"]
INPUTS = {
    "general": {"input": (1, 3, 260, 260)},
    "coco": {"image": (1, 3, 416, 416), "scale_factor": (1, 2)},
    "local-features": {"image": (1, 1, 480, 640)},
}
PHOTOS = [
    "astronaut.png",
    "chelsea.png",
    "coffee.png",
    "rocket.jpg",
    "motorcycle_left.png",
    "leuvenA.jpg",
    "graf1.png",
    "box_in_scene.png",
]
# The longer side of the pictures: what an app uploads after it has reduced a photograph.
SIDE = 1600


def arguments(description: str) -> argparse.ArgumentParser:
    """The options that `make` passes to all benchmarks of image recognition."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--bench", required=True, type=Path, help="the built bench-vision")
    parser.add_argument("--kaisatsu", required=True, type=Path, help="the built server")
    parser.add_argument("--models", required=True, type=Path)
    parser.add_argument("--photos", required=True, type=Path)
    return parser


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    options = parser.parse_args()
    networks(options)
    with tempfile.TemporaryDirectory() as folder:
        servers(options, Path(folder))


def networks(options) -> None:
    print("| network | threads | ONNX Runtime in Python, runs/s | p50 ms | Kaisatsu, runs/s | p50 ms | ratio |")
    print("|---|---|---|---|---|---|---|")
    library = options.models / "runtime/libonnxruntime.so"
    for model, inputs in INPUTS.items():
        file = options.models / model / "model.onnx"
        for threads in sorted({1, CORES}):
            python, ours = [], []
            for _ in range(options.rounds):
                python.append(in_python(file, inputs, threads, options.seconds))
                shapes = [f"{name}={'x'.join(map(str, shape))}" for name, shape in inputs.items()]
                ours.append(run(options.bench, "infer", library, file, threads, options.seconds, *shapes))
            print(row(f"{model} | {threads}", python, ours), flush=True)
    print()


def in_python(file: Path, inputs: dict, threads: int, seconds: int) -> dict:
    settings = onnxruntime.SessionOptions()
    settings.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(file), settings, providers=["CPUExecutionProvider"])
    first = session.get_outputs()[0].name
    tensors = {
        name: ((np.arange(np.prod(shape)) % 251) / np.float32(251)).astype(np.float32).reshape(shape)
        for name, shape in inputs.items()
    }
    session.run([first], tensors)
    times: list[float] = []

    def work() -> None:
        while time.perf_counter() - began < seconds:
            start = time.perf_counter()
            session.run([first], tensors)
            times.append((time.perf_counter() - start) * 1e3)

    began = time.perf_counter()
    workers = [threading.Thread(target=work) for _ in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return {"rate": len(times) / (time.perf_counter() - began), "p50": statistics.median(times)}


def servers(options, folder: Path) -> None:
    models = folder / "models"
    for name in [*LOADED, "runtime"]:
        shutil.copytree(options.models / name, models / name)
    files = pictures(options.photos, folder)
    total = sum(file.stat().st_size for file in files)
    print(
        f"{len(files)} JPEG photographs, longer side {SIDE}, {total // len(files) // 1024} kB on average, {2 * CORES} connections\n"
    )
    print("| server | operation | pictures/s | p50 ms | p99 ms | resident MB |")
    print("|---|---|---|---|---|---|")
    kinds = {
        "FastAPI, plain": lambda: Python(models, 1, care=False),
        "FastAPI with care, threads": lambda: Python(models, 1),
        f"FastAPI with care, {CORES} processes": lambda: Python(models, CORES),
        "Kaisatsu": lambda: Kaisatsu(options.kaisatsu, models, folder),
    }
    figures: dict = {}
    for _ in range(options.rounds):
        for kind, start in kinds.items():
            with start() as server:
                for operation in ("classify", "detect"):
                    target, address = server.target(operation), server.address
                    words = ["load", address, target, "form", 2 * CORES]
                    run(options.bench, *words, 2, *files)
                    figures.setdefault((kind, operation), []).append(
                        run(options.bench, *words, options.seconds, *files)
                    )
                figures.setdefault((kind, "memory"), []).append(resident(server.process.pid))
    middle = lambda kind, operation, what: statistics.median(one[what] for one in figures[kind, operation])
    for kind in kinds:
        memory = statistics.median(figures[kind, "memory"])
        for operation in ("classify", "detect"):
            values = [middle(kind, operation, what) for what in ("rate", "p50", "p99")]
            print(f"| {kind} | {operation} | {values[0]:.1f} | {values[1]:.1f} | {values[2]:.1f} | {memory:.0f} |")
    print()
    for kind in kinds:
        if kind != "Kaisatsu":
            rates = [
                middle("Kaisatsu", operation, "rate") / middle(kind, operation, "rate")
                for operation in ("classify", "detect")
            ]
            part = statistics.median(figures["Kaisatsu", "memory"]) / statistics.median(figures[kind, "memory"])
            print(
                f"{kind}: classify {rates[0]:.2f} times, detect {rates[1]:.2f} times its pictures a second, {part:.2f} of its memory"
            )


def pictures(photos: Path, folder: Path, side: int = SIDE) -> list[Path]:
    files = []
    for name in PHOTOS:
        image = Image.open(photos / name).convert("RGB")
        scale = side / max(image.size)
        file = folder / f"{Path(name).stem}.jpg"
        image.resize((round(image.width * scale), round(image.height * scale)), Image.Resampling.LANCZOS).save(
            file, quality=88
        )
        files.append(file)
    return files


class Server:
    process: subprocess.Popen
    address: str

    def __enter__(self) -> "Server":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)

    def wait(self, path: str) -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"http://{self.address}{path}", timeout=2):
                    return
            except OSError:
                time.sleep(0.05)
        raise SystemExit("the server did not start")


class Python(Server):
    def __init__(self, models: Path, workers: int, care: bool = True) -> None:
        port = free_port()
        self.address = f"127.0.0.1:{port}"
        environment = {
            **os.environ,
            "YARDSTICK_MODELS": str(models),
            "YARDSTICK_LOADED": ",".join(LOADED),
            "YARDSTICK_CARE": str(int(care)),
        }
        self.process = subprocess.Popen(
            [sys.executable, HERE / "yardstick.py", str(port), str(workers)], cwd=HERE, env=environment
        )
        self.wait("/openapi.json")

    def target(self, operation: str) -> str:
        return f"/{operation}"


class Kaisatsu(Server):
    PATHS = {"classify": "concept/classify", "detect": "objectDetection/detect"}

    def __init__(self, binary: Path, models: Path, folder: Path, further: list[str] | None = None) -> None:
        self.address = f"127.0.0.1:{free_port()}"
        self.data = tempfile.mkdtemp(dir=folder)
        with open(f"{self.data}/out", "w", encoding="utf-8") as out:
            words = [
                binary,
                "serve",
                "--data",
                self.data,
                "--models",
                models,
                "--listen",
                self.address,
                *(further or []),
            ]
            self.process = subprocess.Popen(words, stdout=out, stderr=out)
        self.wait("/readyz")
        self.key = re.search(r"kst_\w+", Path(f"{self.data}/out").read_text(encoding="utf-8"))[0]

    def target(self, operation: str) -> str:
        return f"/imageRecognition/v1/{self.PATHS[operation]}?APIKEY={self.key}&numOfCandidates=5"


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def resident(pid: int) -> float:
    """The resident megabytes of a process and its children. Shared pages count once."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="utf-8").split()
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8")
    own = int(re.search(r"Pss:\s+(\d+)", rollup)[1]) / 1024
    return own + sum(resident(int(child)) for child in children)


def run(binary: Path, *words: object) -> dict:
    done = subprocess.run([binary, *map(str, words)], check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout)


def row(name: str, python: list[dict], ours: list[dict]) -> str:
    middle = lambda all_of_them, what: statistics.median(one[what] for one in all_of_them)
    ratio = statistics.median(mine["rate"] / theirs["rate"] for mine, theirs in zip(ours, python))
    return (
        f"| {name} | {middle(python, 'rate'):.1f} | {middle(python, 'p50'):.2f} | {middle(ours, 'rate'):.1f} "
        f"| {middle(ours, 'p50'):.2f} | {ratio:.3f} |"
    )


if __name__ == "__main__":
    main()
