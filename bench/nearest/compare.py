"""Compares cosine-index with hnswlib, usearch and faiss: same vectors, same queries, one thread, equal recall."""

import argparse
import json
import subprocess
import time
from pathlib import Path

import faiss
import hnswlib
import numpy
import usearch.index

K = 10
HEADINGS = ["vectors", "index", "recall@10", "queries/s", "ours is faster by", "build s", "MiB"]
WIDTHS = [10, 12, 16, 20, 24, 32, 40, 48, 64, 80, 96, 128, 160, 200, 256, 320, 400, 512, 768, 1024, 1536, 2048]
OUR_BEAMS = [10, 11, 12, 14, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256]
# What the documentation of all three recommends: 16 links (32 at the lowest level), and 200 candidates while building.
LINKS, BUILD_WIDTH = 16, 200


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", required=True, help="the built bench-nearest")
    parser.add_argument("--data", required=True, type=Path, help="a directory for the vectors; kept for the next run")
    parser.add_argument("--count", type=int, default=100_000)
    parser.add_argument("--dims", type=int, default=1280)
    parser.add_argument("--queries", type=int, default=1000)
    parser.add_argument("--kinds", nargs="+", default=["clustered", "random"], help="crops.py makes `crops`")
    parser.add_argument("--others", nargs="+", default=list(OTHERS), choices=list(OTHERS))
    parser.add_argument("--recall", type=float, help="the least recall of all; that of our default beam if not given")
    parser.add_argument("--rounds", type=int, default=3, help="the best of so many counts, in turn with the others")
    options = parser.parse_args()

    print("| " + " | ".join(HEADINGS) + " |")
    print("|---" * len(HEADINGS) + "|")
    for kind in options.kinds:
        for cells in rows(kind, options):
            print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def rows(kind, options):
    folder = options.data / f"{kind}-{options.count}x{options.dims}"
    if not (folder / "truth.u32").exists():
        sizes = [str(options.count), str(options.dims), str(options.queries)]
        subprocess.run([options.binary, "make", folder, kind, *sizes], check=True)
    vectors = numpy.fromfile(folder / "vectors.f32", dtype="<f4").reshape(-1, options.dims)
    queries = numpy.fromfile(folder / "queries.f32", dtype="<f4").reshape(-1, options.dims)
    truth = numpy.fromfile(folder / "truth.u32", dtype="<u4").reshape(-1, K)

    others = {name: OTHERS[name](folder, vectors) for name in options.others}
    # Equal vectors are equally good answers, so an answer counts if it is as similar as the last of the nearest.
    least = numpy.einsum("ij,ij->i", vectors[truth[:, -1]], queries) - 1e-6

    def recall(found):
        similar = numpy.einsum("ikj,ij->ik", vectors[found.astype(numpy.int64)], queries)
        return float((similar >= least[:, None]).mean())

    beams = OUR_BEAMS if options.recall else []
    measured = [measure_ours(options.binary, folder, options.dims, beam) for beam in beams[:1] or [None]]
    while options.recall and measured[-1]["recall"] < options.recall and len(measured) < len(beams):
        measured.append(measure_ours(options.binary, folder, options.dims, beams[len(measured)]))
    ours = measured[-1]
    wanted = options.recall or ours["recall"]
    recalls = {name: least_width(other, queries, recall, wanted) for name, other in others.items()}
    rates = dict.fromkeys(others, 0.0)
    for turn in range(options.rounds):
        if turn > 0:
            again = measure_ours(options.binary, folder, options.dims, ours["beam"])
            ours["qps"] = max(ours["qps"], again["qps"])
            ours["build_seconds"] = min(ours["build_seconds"], again["build_seconds"])
        for name, other in others.items():
            rates[name] = max(rates[name], rate(other, queries), rate(other, queries))
    what = f"{kind} {options.count} × {options.dims}"
    found = f"{ours['recall']:.4f} (beam {ours['beam']})"
    yield [what, "cosine-index", found, ours["qps"], "", ours["build_seconds"], ours["megabytes"]]
    for name, other in others.items():
        found = f"{recalls[name]:.4f} (ef {other.width})"
        faster = f"{ours['qps'] / rates[name]:.2f}"
        yield ["", name, found, round(rates[name]), faster, other.seconds, other.megabytes]


def measure_ours(binary, folder, dims, beam):
    command = [binary, "run", folder, str(dims), *([str(beam)] if beam else [])]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


class Kept:
    """An index in a file, because building takes minutes; `build`, `save` and `load` are those of a library."""

    def __init__(self, folder, vectors, name):
        self.width = 0
        file, seconds = folder / f"{name}.index", folder / f"{name}.seconds"
        if file.exists() and seconds.exists():
            self.load(file, vectors)
        else:
            start = time.perf_counter()
            self.build(vectors)
            seconds.write_text(str(round(time.perf_counter() - start, 1)))
            self.save(file)
        self.seconds = float(seconds.read_text())
        self.megabytes = file.stat().st_size >> 20


class Hnswlib(Kept):
    def __init__(self, folder, vectors):
        self.index = hnswlib.Index(space="ip", dim=vectors.shape[1])
        super().__init__(folder, vectors, "hnswlib")

    def build(self, vectors):
        self.index.init_index(max_elements=len(vectors), M=LINKS, ef_construction=BUILD_WIDTH, random_seed=1)
        self.index.add_items(vectors, numpy.arange(len(vectors)))

    def save(self, file):
        self.index.save_index(str(file))

    def load(self, file, vectors):
        self.index.load_index(str(file), max_elements=len(vectors))

    def set_width(self, width):
        self.width = width
        self.index.set_ef(width)

    def search(self, queries):
        return self.index.knn_query(queries, k=K, num_threads=1)[0]


class Usearch(Kept):
    def __init__(self, folder, vectors, kind):
        self.index = usearch.index.Index(
            ndim=vectors.shape[1], metric="ip", dtype=kind, connectivity=LINKS, expansion_add=BUILD_WIDTH
        )
        super().__init__(folder, vectors, f"usearch-{kind}")

    def build(self, vectors):
        self.index.add(numpy.arange(len(vectors)), vectors)

    def save(self, file):
        self.index.save(str(file))

    def load(self, file, vectors):
        self.index.load(str(file))

    def set_width(self, width):
        self.width = width
        self.index.expansion_search = width

    def search(self, queries):
        return self.index.search(queries, K, threads=1).keys


class Faiss(Kept):
    def __init__(self, folder, vectors):
        super().__init__(folder, vectors, "faiss")
        faiss.omp_set_num_threads(1)

    def build(self, vectors):
        self.index = faiss.IndexHNSWFlat(vectors.shape[1], LINKS, faiss.METRIC_INNER_PRODUCT)
        self.index.hnsw.efConstruction = BUILD_WIDTH
        self.index.add(vectors)

    def save(self, file):
        faiss.write_index(self.index, str(file))

    def load(self, file, vectors):
        self.index = faiss.read_index(str(file))

    def set_width(self, width):
        self.width = width
        self.index.hnsw.efSearch = width

    def search(self, queries):
        return self.index.search(queries, K)[1]


OTHERS = {
    "hnswlib": Hnswlib,
    "usearch f32": lambda folder, vectors: Usearch(folder, vectors, "f32"),
    "usearch f16": lambda folder, vectors: Usearch(folder, vectors, "f16"),
    "faiss": Faiss,
}


def least_width(other, queries, recall, wanted):
    """Sets the smallest beam whose recall is at least the one wanted, and returns its recall."""
    for width in WIDTHS:
        other.set_width(width)
        reached = recall(other.search(queries))
        if reached >= wanted:
            break
    return reached


def rate(other, queries):
    """Queries per second of one thread, by the processor time that it took, as on the other side."""
    start = time.process_time()
    other.search(queries)
    return len(queries) / (time.process_time() - start)


if __name__ == "__main__":
    main()
