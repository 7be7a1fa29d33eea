"""LighterGlue for XFeat: weights of PyTorch → ONNX. It says which features of two pictures are the same.

In go the places and descriptors of both pictures' features, out comes `scores`: for each pair the probability that its
two features are one. Places are measured from the middle of the picture, in halves of its longer side.

The network is LightGlue (Lindenberger et al., 2023) with one head of 96 numbers and six layers. What never changes is
computed here and not in every run: the scales of attention are multiplied into the weights, and the rotation by which
a feature's place enters is written as two products, for which the weights of queries and keys are kept twice, plain
and with the two halves of each pair exchanged.
"""

import math
from array import array

from .onnx_graph import Graph, Tensor, floats

WIDTH = 96
LAYERS = 6
EPSILON = 1e-5  # of the layer normalisation; PyTorch's default


def build(weights: dict[str, Tensor]) -> bytes:
    return _Builder({name.removeprefix("matcher."): tensor for name, tensor in weights.items()}).build()


class _Builder:
    def __init__(self, weights: dict[str, Tensor]) -> None:
        self.weights = weights
        self.graph = Graph("lighterglue")

    def build(self) -> bytes:
        graph = self.graph
        sides = []
        for side in ("0", "1"):
            places = graph.input(f"places{side}", [f"features{side}", 2])
            descriptors = graph.input(f"descriptors{side}", [f"features{side}", 64])
            frequencies = [row for row in _rows(self.weights["posenc.Wr.weight"]) for _ in range(2)]
            angles = graph.add("Gemm", [places, graph.weight("frequencies", _tensor(frequencies))], transB=1)
            turn = graph.add("Cos", [angles]), graph.add("Sin", [angles])
            sides.append((self.linear(descriptors, "input_proj"), turn))
        (first, first_turn), (second, second_turn) = sides
        for layer in range(LAYERS):
            name = f"transformers.{layer}"
            first = self.self_attention(first, first_turn, f"{name}.self_attn")
            second = self.self_attention(second, second_turn, f"{name}.self_attn")
            first, second = self.cross_attention(first, second, f"{name}.cross_attn")
        self.assignment(first, second, f"log_assignment.{LAYERS - 1}")
        graph.output("scores", ["features0", "features1"])
        return graph.serialised()

    def self_attention(self, x: str, turn: tuple[str, str], name: str) -> str:
        # The rows of queries, keys and values lie in turn.
        weight, bias = _rows(self.weights[f"{name}.Wqkv.weight"]), _rows(self.weights[f"{name}.Wqkv.bias"])
        scale = WIDTH**-0.5
        query = self.turned(x, turn, f"{name}.query", _scaled(weight[0::3], scale), _scaled(bias[0::3], scale))
        key = self.turned(x, turn, f"{name}.key", weight[1::3], bias[1::3])
        value = self.product(x, f"{name}.value", weight[2::3], bias[2::3])
        seen = self.graph.add("MatMul", [self.attention(query, key), value])
        return self.update(x, self.linear(seen, f"{name}.out_proj"), name)

    def turned(self, x: str, turn: tuple[str, str], name: str, weight: list, bias: list) -> str:
        """A product whose pairs of numbers are turned by the angles of the feature's place."""
        cos, sin = turn
        plain = self.product(x, name, weight, bias)
        exchanged = self.product(x, f"{name}.exchanged", _exchanged(weight), _exchanged(bias))
        straight, across = self.graph.add("Mul", [plain, cos]), self.graph.add("Mul", [exchanged, sin])
        return self.graph.add("Add", [straight, across])

    def cross_attention(self, first: str, second: str, name: str) -> tuple[str, str]:
        scale = WIDTH**-0.25  # once for each of the two factors
        weight = _scaled(_rows(self.weights[f"{name}.to_qk.weight"]), scale)
        bias = _scaled(_rows(self.weights[f"{name}.to_qk.bias"]), scale)
        keys = [self.product(x, f"{name}.to_qk", weight, bias) for x in (first, second)]
        values = [self.linear(x, f"{name}.to_v") for x in (first, second)]
        updated = []
        for x, mine, other, value in ((first, keys[0], keys[1], values[1]), (second, keys[1], keys[0], values[0])):
            seen = self.graph.add("MatMul", [self.attention(mine, other), value])
            updated.append(self.update(x, self.linear(seen, f"{name}.to_out"), name))
        return updated[0], updated[1]

    def attention(self, query: str, key: str) -> str:
        return self.graph.add("Softmax", [self.alike(query, key)], axis=1)

    def alike(self, one: str, other: str) -> str:
        return self.graph.add("MatMul", [one, self.graph.add("Transpose", [other], perm=[1, 0])])

    def update(self, x: str, message: str, name: str) -> str:
        """What a feature learns from a message: two layers on both, added to what it was."""
        graph = self.graph
        wide = self.linear(graph.add("Concat", [x, message], axis=1), f"{name}.ffn.0")
        centred = graph.add("Sub", [wide, graph.add("ReduceMean", [wide], axes=[1], keepdims=1)])
        square = graph.add("Pow", [centred, graph.weight("two", floats(2))])
        variance = graph.add("ReduceMean", [square], axes=[1], keepdims=1)
        deviation = graph.add("Sqrt", [graph.add("Add", [variance, graph.weight("epsilon", floats(EPSILON))])])
        normal = graph.add("Div", [centred, deviation])
        normal = graph.add("Mul", [normal, self.weight(f"{name}.ffn.1.weight")])
        normal = graph.add("Add", [normal, self.weight(f"{name}.ffn.1.bias")])
        # GELU, written with the error function as it is defined.
        error = graph.add("Erf", [graph.add("Div", [normal, graph.weight("root_of_two", floats(math.sqrt(2)))])])
        raised = graph.add("Mul", [normal, graph.add("Add", [error, graph.weight("one", floats(1))])])
        active = graph.add("Mul", [raised, graph.weight("half", floats(0.5))])
        return graph.add("Add", [x, self.linear(active, f"{name}.ffn.3")])

    def assignment(self, first: str, second: str, name: str) -> None:
        """A pair is as likely as each of the two chooses the other, and as both have a partner at all."""
        graph = self.graph
        scale = WIDTH**-0.25
        weight = _scaled(_rows(self.weights[f"{name}.final_proj.weight"]), scale)
        bias = _scaled(_rows(self.weights[f"{name}.final_proj.bias"]), scale)
        alike = self.alike(*(self.product(x, f"{name}.final_proj", weight, bias) for x in (first, second)))
        chosen = graph.add("Mul", [graph.add("Softmax", [alike], axis=1), graph.add("Softmax", [alike], axis=0)])
        matched = [graph.add("Sigmoid", [self.linear(x, f"{name}.matchability")]) for x in (first, second)]
        both = graph.add("Mul", [matched[0], graph.add("Transpose", [matched[1]], perm=[1, 0])])
        graph.add("Mul", [chosen, both], "scores")

    def linear(self, x: str, name: str) -> str:
        return self.graph.add("Gemm", [x, self.weight(f"{name}.weight"), self.weight(f"{name}.bias")], transB=1)

    def product(self, x: str, name: str, weight: list, bias: list) -> str:
        """A linear layer whose weights are not those of the file."""
        names = [self.graph.weight(f"{name}.weight", _tensor(weight)), self.graph.weight(f"{name}.bias", _vector(bias))]
        return self.graph.add("Gemm", [x, *names], transB=1)

    def weight(self, name: str) -> str:
        return self.graph.weight(name, self.weights[name])


def _rows(tensor: Tensor) -> list[array]:
    """The rows of a matrix; a vector is a column."""
    items = array("f")
    items.frombytes(tensor.data)
    width = tensor.shape[1] if len(tensor.shape) == 2 else 1
    return [items[start:start + width] for start in range(0, len(items), width)]


def _tensor(rows: list[array]) -> Tensor:
    return Tensor((len(rows), len(rows[0])), b"".join(row.tobytes() for row in rows))


def _vector(rows: list[array]) -> Tensor:
    return Tensor((len(rows),), b"".join(row.tobytes() for row in rows))


def _scaled(rows: list[array], factor: float) -> list[array]:
    return [array("f", (value * factor for value in row)) for row in rows]


def _exchanged(rows: list[array]) -> list[array]:
    """The two rows of each pair exchanged, the one that comes first with its sign changed."""
    pairs = zip(rows[0::2], rows[1::2])
    return [row for even, odd in pairs for row in (array("f", (-value for value in odd)), even)]
