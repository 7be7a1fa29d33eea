"""What check.py runs inside its virtual environment: each model on its proofs, as its manifest says."""

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import onnxruntime
from PIL import Image, ImageDraw, ImageFont

LINES = ["吾輩は猫である", "新潮文庫 定価 649円", "東京駅 中央線 ホーム", "Hello World 2024"]
FILTERS = {"bicubic": Image.Resampling.BICUBIC, "bilinear": Image.Resampling.BILINEAR}


class Model:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.manifest: dict[str, Any] = tomllib.loads((folder / "model.toml").read_text(encoding="utf-8"))
        if "labels" in self.manifest:
            rows = (folder / self.manifest["labels"]["file"]).read_text(encoding="utf-8").splitlines()[1:]
            self.labels = [row.split("\t")[1] for row in rows]
        if "weights" in self.manifest:
            self.session = session(folder / self.manifest["weights"]["file"])

    def run(self, inputs: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        names = [output.name for output in self.session.get_outputs()]
        return dict(zip(names, self.session.run(names, inputs)))


def session(file: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


class Proofs:
    """Prints each result, remembers whether all were right, saves what it is told to."""

    def __init__(self, save: Path | None) -> None:
        self.save_folder = save
        self.failed = 0

    def check(self, right: bool, text: str) -> None:
        print(f"  {'ok   ' if right else 'WRONG'} {text}")
        self.failed += not right

    def save(self, model: str, case: str, tensors: dict[str, np.ndarray], meaning: object) -> None:
        if self.save_folder is None:
            return
        folder = self.save_folder / model / case
        folder.mkdir(parents=True, exist_ok=True)
        for name, tensor in tensors.items():
            np.save(folder / f"{name}.npy", tensor)
        (folder / "meaning.json").write_text(json.dumps(meaning, ensure_ascii=False, indent=1), encoding="utf-8")


def prepared(image: Image.Image, wanted: dict[str, Any]) -> np.ndarray:
    """A photograph as the manifest's [input] wants it."""
    width, height, how = wanted["width"], wanted["height"], FILTERS[wanted["filter"]]
    if wanted["fit"] == "crop":
        short = round(width / wanted["crop_fraction"])
        scale = short / min(image.size)
        image = image.resize((round(image.width * scale), round(image.height * scale)), how)
        left, top = (image.width - width) // 2, (image.height - height) // 2
        image = image.crop((left, top, left + width, top + height))
    else:
        image = image.resize((width, height), how)
    pixels = np.asarray(image, np.float32)
    if wanted["channels"] == "grey":
        pixels = pixels.mean(axis=2, keepdims=True)
    pixels = (pixels - np.float32(wanted["mean"])) / np.float32(wanted["std"])
    return np.ascontiguousarray(pixels.transpose(2, 0, 1)[None], np.float32)


def softmax(logits: np.ndarray, temperature: float = 1.0) -> np.ndarray:
    powers = np.exp((logits - logits.max()) / temperature)
    return powers / powers.sum()


def classify(model: Model, photos: Path, proofs: Proofs) -> None:
    # The figures are known for the general model only; of its fast twin no more is asked than a place among the best.
    known = model.manifest["name"] == "general"
    for photo, answer, figure in (("chelsea", "Egyptian cat", 0.62), ("coffee", "espresso", 0.89)):
        pixels = prepared(Image.open(photos / f"{photo}.png").convert("RGB"), model.manifest["input"])
        outputs = model.run({model.manifest["input"]["name"]: pixels})
        # The published figures are those without a temperature.
        plain = softmax(outputs[model.manifest["output"]["scores"]][0])
        scores = softmax(outputs[model.manifest["output"]["scores"]][0], model.manifest["output"]["temperature"])
        top = [(model.labels[i], round(float(scores[i]), 4)) for i in scores.argsort()[::-1][:5]]
        right = (top[0][0] == answer and abs(plain.max() - figure) < 0.02) if known else answer in dict(top[:2])
        proofs.check(right, f"{photo}: " + ", ".join(f"{name} {score:.3f}" for name, score in top))
        proofs.save(model.folder.name, photo, {"input": pixels, **outputs}, top)


def suppressed(boxes: np.ndarray, scores: np.ndarray, rules: dict[str, Any]) -> list[tuple[int, float, list[float]]]:
    """Non-maximum suppression class by class: (class, score, box), best first."""
    found = []
    for index, row in enumerate(scores):
        order = row.argsort()[::-1][:rules["candidates_per_class"]]
        order = order[row[order] > rules["score_floor"]]
        while order.size:
            best, order = order[0], order[1:]
            found.append((index, float(row[best]), boxes[best].tolist()))
            low, high = np.maximum(boxes[best, :2], boxes[order, :2]), np.minimum(boxes[best, 2:], boxes[order, 2:])
            shared = (high - low).clip(0).prod(axis=1)
            area = (boxes[:, 2:] - boxes[:, :2]).prod(axis=1)
            order = order[shared / (area[best] + area[order] - shared) <= rules["nms_iou"]]
    return sorted(found, key=lambda one: -one[1])[:rules["keep"]]


def detect(model: Model, photos: Path, proofs: Proofs) -> None:
    wanted, rules = model.manifest["input"], model.manifest["output"]
    for photo, answer, figure in (("chelsea", "cat", 0.98), ("coffee", "cup", 0.91)):
        image = Image.open(photos / f"{photo}.png").convert("RGB")
        scale = np.array([[wanted["height"] / image.height, wanted["width"] / image.width]], np.float32)
        inputs = {wanted["name"]: prepared(image, wanted), wanted["scale_factor"]: scale}
        outputs = model.run(inputs)
        found = suppressed(outputs[rules["boxes"]][0], outputs[rules["scores"]][0], rules)
        named = [
            (model.labels[index], round(score, 4), [round(side, 2) for side in box]) for index, score, box in found
        ]
        shown = ", ".join(f"{name} {score:.3f} {[round(side) for side in box]}" for name, score, box in named[:3])
        right = any(name == answer and abs(score - figure) < 0.02 for name, score, _ in named)
        proofs.check(right, f"{photo} ({image.width}×{image.height}): {shown}")
        proofs.save(model.folder.name, photo, {**inputs, **outputs}, named)


# What XFeat is given, and how many of its points are taken.
FEATURE_INPUT = {"fit": "stretch", "filter": "bilinear", "channels": "grey", "mean": [0.0], "std": [255.0]}
FEATURE_STEP = 32
FEATURE_LIMIT = 4096


def features(
    model: Model, image: Image.Image, scale: float, proofs: Proofs, case: str
) -> tuple[np.ndarray, np.ndarray]:
    """Points (in pixels of the original) and descriptors, the way XFeat picks them; descriptors of the nearest cell."""
    wanted, rules = model.manifest["input"], model.manifest["output"]
    size = [max(int(side * scale) // FEATURE_STEP, 1) * FEATURE_STEP for side in image.size]
    pixels = prepared(image.convert("RGB"), {**FEATURE_INPUT, "width": size[0], "height": size[1]})
    maps = model.run({wanted["name"]: pixels})
    proofs.save(model.folder.name, case, {"input": pixels, **maps}, {"width": size[0], "height": size[1]})
    _, _, rows, columns = maps["keypoints"].shape
    heat = maps["keypoints"][0, :64].reshape(8, 8, rows, columns).transpose(2, 0, 3, 1).reshape(rows * 8, columns * 8)
    peaks = cv2.dilate(heat, np.ones((rules["point_window"],) * 2, np.uint8))
    y, x = np.nonzero((heat == peaks) & (heat > rules["point_floor"]))
    weight = heat[y, x] * maps["reliability"][0, 0, y // 8, x // 8]
    best = weight.argsort()[::-1][:FEATURE_LIMIT]
    y, x = y[best], x[best]
    points = np.stack([x * image.width / size[0], y * image.height / size[1]], axis=1).astype(np.float32)
    return points, maps["descriptors"][0][:, y // 8, x // 8].T


def match(model: Model, photos: Path, proofs: Proofs) -> None:
    # The scene at 640×480. What counts is the ratio of the scales: at half its size the same box is hardly found.
    scene = features(model, Image.open(photos / "box_in_scene.png"), 1.25, proofs, "box_in_scene-1.25")
    best = {}
    for item, scales in (("box", (1.0, 0.5)), ("coins", (1.0,))):
        for scale in scales:
            there = features(model, Image.open(photos / f"{item}.png"), scale, proofs, f"{item}-{scale}")
            likeness = there[1] @ scene[1].T
            forth, back = likeness.argmax(axis=1), likeness.argmax(axis=0)
            pairs = np.nonzero(back[forth] == np.arange(len(forth)))[0]
            _, inliers = cv2.findHomography(there[0][pairs], scene[0][forth[pairs]], cv2.RANSAC, 4.0, maxIters=5000)
            count = int(inliers.sum()) if inliers is not None else 0
            best[item] = max(best.get(item, 0), count)
            print(f"        {item} at {scale}: {len(there[0])} points, {len(pairs)} mutual matches, {count} inliers")
    proofs.check(best["box"] > 60 and best["coins"] < 20,
                 f"the box is in the scene ({best['box']}), the coins are not ({best['coins']})")


class Recorder:
    """Stands in for one of rapidocr's sessions and keeps what goes in and out."""

    def __init__(self, inner: Any) -> None:
        self.inner, self.calls = inner, []

    def __call__(self, pixels: np.ndarray) -> np.ndarray:
        output = self.inner(pixels)
        self.calls.append((pixels, output))
        return output


def page() -> Image.Image:
    query = ["fc-match", "-f", "%{file}\t%{index}", "Noto Sans CJK JP:lang=ja"]
    found = subprocess.run(query, capture_output=True, text=True)
    file, index = found.stdout.split("\t")
    image = Image.new("RGB", (900, 90 * len(LINES) + 60), "white")
    draw, font = ImageDraw.Draw(image), ImageFont.truetype(file, 48, index=int(index))
    for row, line in enumerate(LINES):
        draw.text((60, 40 + 90 * row), line, "black", font)
    return image


def read_text(model: Model, photos: Path, proofs: Proofs) -> None:
    from rapidocr import RapidOCR

    parts = {part: str(model.folder / model.manifest[part]["file"]) for part in ("detect", "turn", "recognise")}
    reader = RapidOCR(params={"Det.model_path": parts["detect"], "Cls.model_path": parts["turn"],
                              "Rec.model_path": parts["recognise"], "Global.log_level": "error"})
    for step in (reader._load_det_model(), reader._load_cls_model(), reader._load_rec_model()):
        step.session = Recorder(step.session)
    upright = page()
    for case, image in (("lines", upright), ("upside-down", upright.rotate(180))):
        steps = {"detect": reader.text_det, "turn": reader.text_cls, "recognise": reader.text_rec}
        for step in steps.values():
            step.session.calls.clear()
        result = reader(np.asarray(image)[:, :, ::-1])
        texts = list(result.txts or [])
        proofs.check(sorted(texts) == sorted(LINES), f"{case}: " + " | ".join(texts))
        tensors = {f"{name}-{number}-{side}": tensor for name, step in steps.items()
                   for number, call in enumerate(step.session.calls) for side, tensor in zip(("input", "output"), call)}
        proofs.save("text", case, tensors, [
            {"text": text, "score": float(score), "box": np.asarray(box).tolist()}
            for text, score, box in zip(texts, result.scores or [], result.boxes if texts else [])])
        if proofs.save_folder:
            image.save(proofs.save_folder / "text" / case / "picture.png")


def joined(model: Model, photos: Path, proofs: Proofs) -> None:
    """An ensemble has no network of its own: its members must be here with the weights that it names."""
    for member in model.manifest["members"]:
        there = model.folder.parent / member["model"] / "model.toml"
        weights = tomllib.loads(there.read_text(encoding="utf-8"))["weights"]["sha256"] if there.exists() else ""
        proofs.check(weights == member["sha256"], f"member {member['model']}")


TASKS = {"classify": classify, "embed": joined, "detect": detect, "local-features": match, "read-text": read_text}


def main(models: Path, photos: Path, save: Path | None = None) -> int:
    proofs = Proofs(save)
    for file in sorted(models.glob("*/model.toml")):
        model = Model(file.parent)
        print(f"{model.manifest['name']}: {model.manifest['title']}")
        TASKS[model.manifest["task"]](model, photos, proofs)
    print("all right" if not proofs.failed else f"{proofs.failed} WRONG")
    return 1 if proofs.failed else 0


if __name__ == "__main__":
    sys.exit(main(*map(Path, sys.argv[1:])))
