"""The server that Kaisatsu is measured against: FastAPI and onnxruntime.

It decodes with Pillow, prepares the picture as the model's manifest says, runs the same model files with the same
library, and answers with the best classes or the boxes. It checks, stores, counts and logs nothing, which favours it.

There are two variants. The plain one does what the documentation of its parts shows: it opens and reduces the picture,
and runs the network on all cores. The careful one (YARDSTICK_CARE=1) uses the methods of Kaisatsu: it decodes a JPEG at
the scale that is needed, and handles each picture in one thread, several in parallel.
"""

import io
import math
import os
import sys
from pathlib import Path

import numpy as np
import onnxruntime
import tomllib
from fastapi import FastAPI, UploadFile
from PIL import Image, ImageOps

# A JPEG is decoded at the smallest scale at which its shorter side is still this many times what is needed, as in
# Kaisatsu, because bicubic filters need something to average.
MARGIN = 1.25
FILTERS = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}
MODELS = Path(os.environ["YARDSTICK_MODELS"])
CARE = os.environ.get("YARDSTICK_CARE") == "1"


class Model:
    def __init__(self, name: str) -> None:
        self.manifest = tomllib.loads((MODELS / name / "model.toml").read_text(encoding="utf-8"))
        rows = (MODELS / name / self.manifest["labels"]["file"]).read_text(encoding="utf-8").splitlines()[1:]
        self.labels = [row.split("\t")[1] for row in rows]
        options = onnxruntime.SessionOptions()
        if CARE:
            options.intra_op_num_threads = 1
        file = MODELS / name / self.manifest["weights"]["file"]
        self.session = onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])

    def shorter_side(self) -> int:
        """The length to which the shorter side of a picture is resized."""
        wanted = self.manifest["input"]
        return round(wanted["width"] / wanted["crop_fraction"]) if wanted["fit"] == "crop" else wanted["width"]

    def prepared(self, image: Image.Image) -> np.ndarray:
        wanted = self.manifest["input"]
        width, height, how = wanted["width"], wanted["height"], FILTERS[wanted["filter"]]
        if wanted["fit"] == "crop":
            scale = self.shorter_side() / min(image.size)
            image = image.resize((round(image.width * scale), round(image.height * scale)), how)
            left, top = (image.width - width) // 2, (image.height - height) // 2
            image = image.crop((left, top, left + width, top + height))
        else:
            image = image.resize((width, height), how)
        pixels = (np.asarray(image, np.float32) - np.float32(wanted["mean"])) / np.float32(wanted["std"])
        return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None])


app = FastAPI()
models = {name: Model(name) for name in os.environ["YARDSTICK_LOADED"].split(",")}


def opened(upload: UploadFile, model: Model) -> Image.Image:
    image = Image.open(io.BytesIO(upload.file.read()))
    if CARE:
        least = math.ceil(model.shorter_side() * MARGIN)
        image.draft("RGB", (least, least))
    return ImageOps.exif_transpose(image).convert("RGB")


@app.post("/classify")
def classify(image: UploadFile) -> dict:
    model = models["general"]
    rules = model.manifest["output"]
    pixels = model.prepared(opened(image, model))
    logits = model.session.run([rules["scores"]], {model.manifest["input"]["name"]: pixels})[0][0]
    powers = np.exp(logits - logits.max())
    scores = powers / powers.sum()
    best = scores.argsort()[::-1][:5]
    return {"candidates": [{"tag": model.labels[at], "score": float(scores[at])} for at in best]}


@app.post("/detect")
def detect(image: UploadFile) -> dict:
    model = models["coco"]
    wanted, rules = model.manifest["input"], model.manifest["output"]
    picture = opened(image, model)
    scale = np.array([[wanted["height"] / picture.height, wanted["width"] / picture.width]], np.float32)
    feeds = {wanted["name"]: model.prepared(picture), wanted["scale_factor"]: scale}
    boxes, scores = model.session.run([rules["boxes"], rules["scores"]], feeds)
    return {"candidates": suppressed(boxes[0], scores[0], rules, model.labels)}


def suppressed(boxes: np.ndarray, scores: np.ndarray, rules: dict, labels: list[str]) -> list[dict]:
    area = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
    found = []
    for index in np.nonzero((scores > 0.3).any(axis=1))[0]:
        row = scores[index]
        order = row.argsort()[::-1]
        order = order[row[order] > 0.3]
        while order.size:
            best, order = order[0], order[1:]
            found.append({"tag": labels[index], "score": float(row[best]), "box": boxes[best].tolist()})
            low, high = np.maximum(boxes[best, :2], boxes[order, :2]), np.minimum(boxes[best, 2:], boxes[order, 2:])
            shared = (high - low).clip(0).prod(axis=1)
            order = order[shared / (area[best] + area[order] - shared) <= rules["nms_iou"]]
    return sorted(found, key=lambda one: -one["score"])[:100]


if __name__ == "__main__":
    import uvicorn

    uvicorn.run("yardstick:app", port=int(sys.argv[1]), workers=int(sys.argv[2]), log_level="error", access_log=False)
