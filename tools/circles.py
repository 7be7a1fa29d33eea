#!/usr/bin/env python3
"""Checks that inside each crate no files of different folders depend on each other in a circle.

A file depends on another when it names one of that file's items by a path that begins with `crate`, `super` or `self`,
in a `use` declaration or in code. A name that another module re-exports counts for the file that defines it. Not
counted are declarations of modules, re-exports, and tests.

A module with a folder, such as `datasets.rs` beside `datasets/`, belongs to that folder: a module and its children may
know each other.

Where the documentation of a crate lists its modules as layers, a module may only depend on those of its own line and of
the lines above it, and every module has its line.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PATH = re.compile(r"\b(?:crate|super|self)(?:::\w+)+")
USE = re.compile(r"^\s*(pub(?:\([^)]*\))?\s+)?use\s+([^;]+);", re.M)
TESTS = re.compile(r"^#\[cfg\(test\)\]\n(?:#\[[^\n]*\]\n)*mod \w+ \{\n.*?^\}\n", re.M | re.S)
LAYERS = re.compile(r"^//! The modules form layers\..*?^//! ```text\n(.*?)^//! ```", re.M | re.S)
NOISE = re.compile(r'//[^\n]*|/\*.*?\*/|r#".*?"#|"(?:[^"\\]|\\.)*"', re.S)


def main() -> int:
    sources = sorted(path for place in ("crates", "libs") for path in ROOT.glob(f"{place}/*/src"))
    wrong, files = [], 0
    for source in sources:
        crate = Crate(source)
        files += len(crate.files)
        for circle in circles(crate.edges()):
            if len({crate.folder(module) for module in circle}) > 1:
                wrong.append(f"{source.parent.relative_to(ROOT)}: " + ", ".join(sorted(map(crate.name, circle))))
        wrong += [f"{source.parent.relative_to(ROOT)}: {text}" for text in crate.against_layers()]
    print("\n".join(wrong) or f"circles: {files} files in {len(sources)} crates, no circle across folders")
    return 1 if wrong else 0


class Crate:
    """The modules of a crate. A module is a tuple of names, the root is empty."""

    def __init__(self, source: Path):
        self.source = source
        self.files = {}
        for path in sorted(source.rglob("*.rs")):
            parts = path.relative_to(source).with_suffix("").parts
            if parts[0] == "bin" or "tests" in parts:
                continue
            module = parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts
            self.files[module] = path
        self.text = {module: NOISE.sub("", TESTS.sub("", path.read_text())) for module, path in self.files.items()}
        # What each module makes known under another name: {module: {name: path}}.
        self.exports = {module: {} for module in self.files}
        for module, text in self.text.items():
            for public, tree in USE.findall(text):
                if public:
                    for path, name in flatten(tree):
                        self.exports[module][name] = self.absolute(module, path)

    def absolute(self, module, path):
        """The path from the root of the crate, or None for another crate's."""
        if path[0] == "crate":
            return path[1:]
        at = module
        while path and path[0] in ("super", "self"):
            at, path = (at[:-1], path[1:]) if path[0] == "super" else (at, path[1:])
        if at == module and path and (module + path[:1]) not in self.files:
            return None
        return at + path

    def owner(self, path, depth=0):
        """The module that defines what a path from the root names."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.files:
                module, rest = path[:end], path[end:]
                elsewhere = rest and self.exports[module].get(rest[0])
                if elsewhere and elsewhere != path and depth < 8:
                    return self.owner(elsewhere + rest[1:], depth + 1)
                return module
        return None

    def edges(self):
        """Which modules each module names."""
        found = {}
        for module, text in self.text.items():
            named = set()
            for public, tree in USE.findall(text):
                if not public:
                    named |= {path for path, _ in flatten(tree) if path[0] in ("crate", "super", "self")}
            named |= {tuple(path.split("::")) for path in PATH.findall(USE.sub("", text))}
            owners = {
                self.owner(path) for path in map(lambda path: self.absolute(module, path), named) if path is not None
            }
            found[module] = owners - {module, None}
        return found

    def against_layers(self):
        """What contradicts the layers that the documentation of the crate lists, if it does."""
        root = self.files.get(())
        plan = root and LAYERS.search(root.read_text())
        if not plan:
            return []
        # A line is `name, name    purpose`; a folder's name ends with a slash.
        lines = [re.split(r"\s{2,}", line.removeprefix("//! "))[0] for line in plan[1].splitlines()]
        layers = {name.strip(" /"): at for at, line in enumerate(lines) for name in line.split(",")}
        used = {module[0] for module in self.files if module and not self.is_for_tests(module[0])}
        wrong = [f"`{name}` has no line in the list of layers" for name in sorted(used - set(layers))]
        wrong += [f"the list of layers has `{name}`, which is no module" for name in sorted(set(layers) - used)]
        for module, named in sorted(self.edges().items()):
            for other in sorted(named):
                here, there = layers.get(module[0] if module else ""), layers.get(other[0] if other else "")
                if here is not None and there is not None and there > here:
                    wrong.append(f"{self.name(module)} depends on the layer below it, {self.name(other)}")
        return wrong

    def is_for_tests(self, name):
        return re.search(rf"^#\[cfg\(test\)\]\nmod {name};", self.files[()].read_text(), re.M)

    def folder(self, module):
        return module if (self.source.joinpath(*module)).is_dir() else module[:-1]

    def name(self, module):
        return str(self.files[module].relative_to(self.source))


def flatten(tree: str):
    """The paths of a `use` tree, each with the name that it is known by."""
    tree = re.sub(r"\s+", " ", tree.strip())
    if "{" not in tree:
        path, _, alias = tree.partition(" as ")
        parts = tuple(part.strip() for part in path.strip().split("::") if part.strip() not in ("", "*"))
        if parts[-1:] == ("self",) and len(parts) > 1:
            parts = parts[:-1]
        return [(parts, alias.strip() or parts[-1])] if parts else []
    head, _, rest = tree.partition("{")
    inner, depth, part, parts = rest.rsplit("}", 1)[0], 0, "", []
    for character in inner:
        depth += (character == "{") - (character == "}")
        if character == "," and depth == 0:
            parts.append(part)
            part = ""
        else:
            part += character
    return [found for part in [*parts, part] if part.strip() for found in flatten(head + part.strip())]


def circles(edges):
    """The strongly connected components of more than one node (Tarjan)."""
    order, low, stack, result = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges[node]:
            if other not in order:
                visit(other)
            if other in stack:
                low[node] = min(low[node], low[other])
        if low[node] == order[node]:
            component = set()
            while not component or node not in component:
                component.add(stack.pop())
            if len(component) > 1:
                result.append(component)

    for node in edges:
        if node not in order:
            visit(node)
    return result


if __name__ == "__main__":
    sys.exit(main())
