"""The AIY vision classifiers of Google, for dishes and for plants: TensorFlow Lite → ONNX.

The graph gives the logits and the pooled vector before the last layer, as the other classifiers do. The network of
plants was trained with 8-bit numbers: what a node computes is clamped to what 8 bits can say, as it was in training,
but not rounded.
"""

from math import inf
from pathlib import Path

from . import tflite_file
from .onnx_graph import Graph, Tensor, floats, same_padding
from .tflite_file import Model, Operator, channels_first

SAME = 0  # Padding
NO_ACTIVATION, RELU, RELU6 = 0, 1, 3  # ActivationFunctionType


def convert_food(package: Path, target: Path) -> None:
    _convert(package / "android/src/main/assets/food.tflite", "food", target)


def convert_plants(package: Path, target: Path) -> None:
    _convert(package / "ios/model.tflite", "plants", target)


def _convert(file: Path, name: str, target: Path) -> None:
    (target / "model.onnx").write_bytes(_Builder(tflite_file.read(file.read_bytes()), name).build())


class _Builder:
    def __init__(self, model: Model, name: str) -> None:
        self.model = model
        self.graph = Graph(name)
        self.names: dict[int, str] = {}  # of what the nodes computed so far

    def build(self) -> bytes:
        _, height, width, channels = self.model.values[self.model.input].shape
        self.names[self.model.input] = self.graph.input("input", ["batch", channels, height, width])
        for operator in self.model.operators:
            self.names[operator.output] = self.node(operator)
        return self.graph.serialised()

    def node(self, operator: Operator) -> str:
        source = self.names[operator.inputs[0]]
        match operator.kind:
            case "DEQUANTIZE" | "QUANTIZE" | "RESHAPE" | "SOFTMAX":
                return source
            case "CONV_2D" if source == "embedding":
                return self.last_layer(operator, operator.options.scalar(3, "b"))
            case "FULLY_CONNECTED":
                return self.last_layer(operator, operator.options.scalar(0, "b"))
            case "CONV_2D":
                return self.convolution(operator, depthwise=False, activation=operator.options.scalar(3, "b"))
            case "DEPTHWISE_CONV_2D":
                return self.convolution(operator, depthwise=True, activation=operator.options.scalar(4, "b"))
            case "ADD":
                total = self.graph.add("Add", [source, self.names[operator.inputs[1]]])
                return self.activated(total, operator, operator.options.scalar(0, "b"))
            case "AVERAGE_POOL_2D":
                return self.pooled(operator, source)
        raise ValueError(f"{operator.kind} has no translation")

    def pooled(self, operator: Operator, source: str) -> str:
        before, after = (self.model.values[at].shape for at in (operator.inputs[0], operator.output))
        if after[1:3] != (1, 1):
            raise ValueError(f"a pool of {before} to {after} is not over the whole picture")
        pooled = self.graph.add("GlobalAveragePool", [source])
        self.graph.output("embedding", ["batch", before[3]])
        return self.graph.add("Flatten", [pooled], "embedding", axis=1)

    def last_layer(self, operator: Operator, activation: int) -> str:
        weights, bias = (self.model.values[at].weights() for at in operator.inputs[1:3])
        if activation != NO_ACTIVATION:
            raise ValueError("the last layer is activated")
        classes, width = weights.shape[0], weights.shape[-1]
        names = [self.weight("last.weight", weights.reshaped(classes, width)), self.weight("last.bias", bias)]
        self.graph.output("logits", ["batch", classes])
        return self.graph.add("Gemm", ["embedding", *names], "logits", transB=1)

    def convolution(self, operator: Operator, *, depthwise: bool, activation: int) -> str:
        at = operator.output
        kernel = channels_first(self.model.values[operator.inputs[1]].weights(), depthwise=depthwise)
        bias = self.model.values[operator.inputs[2]].weights()
        stride = operator.options.scalar(1, "i")
        if stride != operator.options.scalar(2, "i"):
            raise ValueError("a stride differs between the axes")
        side = self.model.values[operator.inputs[0]].shape[1]
        pads = same_padding(side, kernel.shape[-1], stride) if operator.options.scalar(0, "b") == SAME else [0] * 4
        names = [self.weight(f"{at}.weight", kernel), self.weight(f"{at}.bias", bias)]
        result = self.graph.add("Conv", [self.names[operator.inputs[0]], *names], strides=[stride, stride], pads=pads,
                                group=kernel.shape[0] if depthwise else 1)
        return self.activated(result, operator, activation)

    def activated(self, name: str, operator: Operator, activation: int) -> str:
        least, greatest = {NO_ACTIVATION: (-inf, inf), RELU: (0.0, inf), RELU6: (0.0, 6.0)}[activation]
        lowest, highest = self.model.values[operator.output].range()
        least, greatest = max(least, lowest), min(greatest, highest)
        if (least, greatest) == (-inf, inf):
            return name
        if (least, greatest) == (0.0, inf):
            return self.graph.add("Relu", [name])
        bounds = [self.weight(f"bound {value!r}", floats(value).reshaped()) for value in (least, greatest)]
        return self.graph.add("Clip", [name, *bounds])

    def weight(self, name: str, tensor: Tensor) -> str:
        return self.graph.weight(name, tensor)
