"""Operators of a Paddle program → nodes of ONNX, one at a time; what has no translation is refused."""

from .onnx_graph import Graph, Tensor, floats
from .paddle_file import Operator

# Operators that ONNX has under another name, with nothing to translate.
PLAIN = {"relu": "Relu", "sigmoid": "Sigmoid", "sqrt": "Sqrt"}
ARITHMETIC = {"elementwise_add": "Add", "elementwise_mul": "Mul", "elementwise_div": "Div"}


def translate(graph: Graph, operator: Operator, weights: dict[str, Tensor]) -> None:
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
        case "dropout":
            # This kind scales what it lets through when it runs, not when it is trained.
            expect(dropout_implementation="downgrade_in_infer", is_test=True)
            kept = graph.weight(f"{out[0]}_kept", floats(1 - attributes["dropout_prob"]))
            graph.add("Mul", [*x, kept], out)
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
        case "flatten_contiguous_range":
            expect(start_axis=1, stop_axis=3)
            graph.add("Flatten", x, out, axis=1)
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
