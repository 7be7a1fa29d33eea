"""Embeds crops of real photographs with the model `general`, as vectors for compare.py.

    python bench/nearest/crops.py --models MODELS --photos PHOTOS --data target/bench-nearest [--count 20000]

It needs numpy, onnxruntime and pillow. The crops are random, with a fixed seed: a tenth to six tenths of the shorter
side, half of them mirrored. Crops of one photograph overlap, as the images of one dataset resemble one another.
"""

import argparse
import tomllib
from pathlib import Path

import numpy
import onnxruntime
from PIL import Image

K = 10


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--models", required=True, type=Path)
    parser.add_argument("--photos", required=True, type=Path)
    parser.add_argument("--data", required=True, type=Path)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--queries", type=int, default=500)
    options = parser.parse_args()

    embed = embedder(options.models / "general")
    photos = [Image.open(path).convert("RGB") for path in sorted(options.photos.iterdir())
              if path.suffix in (".png", ".jpg")]
    random = numpy.random.default_rng(1)
    vectors = numpy.stack([embed(crop(random, photos)) for _ in range(options.count + options.queries)])
    stored, queries = vectors[: options.count], vectors[options.count :]
    truth = numpy.stack([numpy.argsort(-(stored @ query), kind="stable")[:K] for query in queries])
    folder = options.data / f"crops-{options.count}x{vectors.shape[1]}"
    folder.mkdir(parents=True, exist_ok=True)
    stored.astype("<f4").tofile(folder / "vectors.f32")
    queries.astype("<f4").tofile(folder / "queries.f32")
    truth.astype("<u4").tofile(folder / "truth.u32")
    print(f"{options.count} crops of {len(photos)} photographs in {folder}")


def crop(random, photos):
    photo = photos[random.integers(len(photos))]
    side = int(min(photo.size) * random.uniform(0.1, 0.6))
    left, top = random.integers(photo.width - side), random.integers(photo.height - side)
    part = photo.crop((left, top, left + side, top + side))
    return part.transpose(Image.Transpose.FLIP_LEFT_RIGHT) if random.random() < 0.5 else part


def embedder(folder):
    manifest = tomllib.loads((folder / "model.toml").read_text())
    given, made = manifest["input"], manifest["output"]
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(str(folder / manifest["weights"]["file"]), options)

    def embed(picture):
        pixels = numpy.asarray(picture.resize((given["width"], given["height"]), Image.Resampling.BICUBIC), "f4")
        scaled = (pixels - numpy.array(given["mean"], "f4")) / numpy.array(given["std"], "f4")
        (vector,) = session.run([made["embedding"]], {given["name"]: scaled.transpose(2, 0, 1)[None]})
        vector = vector.reshape(-1)
        return vector / numpy.linalg.norm(vector)

    return embed


if __name__ == "__main__":
    main()
