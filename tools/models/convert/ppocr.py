"""PP-OCRv6: ONNX as published; only the alphabet is taken out of the recogniser's metadata into a file of its own."""

import shutil
from pathlib import Path

from .onnx_graph import metadata

FILES = {
    "detect.onnx": "PP-OCRv6_det_small.onnx",
    "recognise.onnx": "PP-OCRv6_rec_small.onnx",
    "turn.onnx": "ch_ppocr_mobile_v2.0_cls_mobile.onnx",
}


def convert(wheel: Path, target: Path) -> None:
    for ours, theirs in FILES.items():
        shutil.copyfile(wheel / "rapidocr/models" / theirs, target / ours)
    alphabet = metadata((target / "recognise.onnx").read_bytes())["character"]
    (target / "characters.txt").write_text(alphabet.rstrip("\n") + "\n", encoding="utf-8", newline="\n")
