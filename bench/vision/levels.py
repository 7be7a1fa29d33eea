"""Measures inference-kernels at every instruction set beside ONNX Runtime on the same instruction set.

    python bench/vision/levels.py --measure PROGRAM --models MODELS

It needs onnxruntime, a C compiler, and an Intel processor with AMX. `cpuid_mask.c` hides instruction sets from both
sides, so that ONNX Runtime uses what it would use on an older processor. Both run on one thread, in turn, and are
measured by their processor time.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What is hidden, and the line of `measure` that is compared.
LEVELS = {"": "AVX-512 and AMX", "amx": "AVX-512", "avx512": "AVX2"}
MODELS = {
    "general": ["input=1x3x260x260"],
    "general-fast": ["input=1x3x224x224"],
    "coco": ["image=1x3x416x416", "scale_factor=1x2"],
}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--measure", type=Path, help="what `cargo bench --package inference-kernels --no-run` builds")
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--onnxruntime", nargs="+", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.onnxruntime:
        return print(json.dumps(onnxruntime_times(options.models, options.onnxruntime, options.seconds)))
    with tempfile.TemporaryDirectory() as folder:
        mask = Path(folder) / "cpuid_mask.so"
        subprocess.run(["cc", "-O2", "-shared", "-fPIC", "-o", mask, HERE / "cpuid_mask.c"], check=True)
        print("| model | instructions | kernels, ms | ONNX Runtime, ms | kernels are faster by |")
        print("|---|---|---|---|---|")
        for model, inputs in MODELS.items():
            for hidden, name in LEVELS.items():
                ours, theirs = [], []
                for _ in range(options.rounds):
                    ours.append(kernels(options, mask, hidden, name, model, inputs))
                    theirs.append(library(options, mask, hidden, model, inputs))
                ours, theirs = min(ours), min(theirs)
                print(f"| {model} | {name} | {ours:.1f} | {theirs:.1f} | {theirs / ours:.2f} |", flush=True)


def environment(mask, hidden):
    return {**os.environ, **({"CPUID_MASK": hidden, "LD_PRELOAD": str(mask)} if hidden else {})}


def kernels(options, mask, hidden, name, model, inputs):
    command = [options.measure, options.models / model / "model.onnx", str(options.seconds), *inputs]
    printed = subprocess.run(command, env=environment(mask, hidden), check=True, capture_output=True, text=True).stdout
    # The median of a run; the least of several runs is taken.
    return float(re.search(rf"^{name}: .* ([\d.]+) ms in the middle", printed, re.MULTILINE)[1])


def library(options, mask, hidden, model, inputs):
    command = [sys.executable, __file__, "--models", options.models, "--seconds", str(options.seconds),
               "--onnxruntime", model, *inputs]
    printed = subprocess.run(command, env=environment(mask, hidden), check=True, capture_output=True, text=True).stdout
    return json.loads(printed)


def onnxruntime_times(models, words, seconds):
    import numpy
    import onnxruntime

    model, *inputs = words
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(models / model / "model.onnx"), options)
    feeds = {}
    for text in inputs:
        name, shape = text.split("=")
        shape = [int(side) for side in shape.split("x")]
        feeds[name] = (numpy.arange(numpy.prod(shape)) % 251 / 251).astype("f4").reshape(shape)
    output = session.get_outputs()[0].name
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        session.run([output], feeds)
        start = time.thread_time()
        session.run([output], feeds)
        times.append(time.thread_time() - start)
    times.sort()
    return times[len(times) // 2] * 1e3


if __name__ == "__main__":
    main()
