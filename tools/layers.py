#!/usr/bin/env python3
"""Checks that dependencies between crates point one way: kaisatsu → http → access, railmap → store → model.

Each row lists the crates of the workspace that a crate may depend on. The tables below it restrict the use of outside
crates. A crate without a row fails the check.
"""

import json
import subprocess
import sys

MAY_USE = {
    "kaisatsu-model": set(),
    "kaisatsu-admission": set(),
    "kaisatsu-store": {"kaisatsu-model"},
    "kaisatsu-access": {"kaisatsu-admission", "kaisatsu-model", "kaisatsu-store"},
    "kaisatsu-status": {"kaisatsu-model", "kaisatsu-store"},
    "kaisatsu-railmap": {"kaisatsu-model"},
    "kaisatsu-render": {"kaisatsu-model", "kaisatsu-railmap"},
    "kaisatsu-transit": {"kaisatsu-model"},
    "kaisatsu-schematic": {"kaisatsu-model", "kaisatsu-railmap", "kaisatsu-render", "kaisatsu-transit"},
    # Libraries that know nothing of Kaisatsu.
    "barcode-reader": set(),
    "cosine-index": set(),
    "inference-kernels": set(),
    "kaisatsu-resize": set(),
    "kaisatsu-vision": {
        "barcode-reader", "cosine-index", "inference-kernels", "kaisatsu-model", "kaisatsu-resize",
    },
    "kaisatsu-fetch": set(),
    "kaisatsu-feedback": {"kaisatsu-model"},
    "kaisatsu-recognition": {
        "cosine-index", "kaisatsu-admission", "kaisatsu-feedback", "kaisatsu-fetch", "kaisatsu-model", "kaisatsu-store",
        "kaisatsu-vision",
    },
    "kaisatsu-http": {
        "kaisatsu-access", "kaisatsu-admission", "kaisatsu-model", "kaisatsu-railmap", "kaisatsu-recognition",
        "kaisatsu-render", "kaisatsu-status",
    },
    "kaisatsu-http-console": {
        "kaisatsu-model", "kaisatsu-access", "kaisatsu-recognition", "kaisatsu-status", "kaisatsu-http",
    },
    "kaisatsu-http-mcp": {"kaisatsu-fetch", "kaisatsu-http"},
    "kaisatsu-http-pages": {"kaisatsu-model", "kaisatsu-railmap", "kaisatsu-render", "kaisatsu-http"},
    "kaisatsu": {
        "kaisatsu-model", "kaisatsu-store", "kaisatsu-access", "kaisatsu-railmap", "kaisatsu-vision",
        "kaisatsu-fetch", "kaisatsu-recognition", "kaisatsu-http", "kaisatsu-http-console", "kaisatsu-http-mcp",
        "kaisatsu-http-pages",
        "kaisatsu-render", "kaisatsu-transit", "kaisatsu-schematic", "kaisatsu-status",
    },
    # Tests and benchmarks.
    "kaisatsu-testkit": {"kaisatsu-model"},
    "kaisatsu-e2e": {"kaisatsu-testkit"},
    "kaisatsu-fuzz": {
        "barcode-reader", "inference-kernels", "kaisatsu-http", "kaisatsu-railmap", "kaisatsu-recognition",
        "kaisatsu-transit", "kaisatsu-vision",
    },
    "bench-route-map": set(),
    "bench-feedback": {"kaisatsu-feedback", "kaisatsu-model", "kaisatsu-vision"},
    "bench-layout": {"kaisatsu-schematic", "kaisatsu-transit"},
    "bench-places": {"kaisatsu-model", "kaisatsu-railmap", "kaisatsu-transit"},
    "bench-nearest": {"cosine-index", "kaisatsu-model", "kaisatsu-store", "kaisatsu-testkit"},
    "bench-vision": {"kaisatsu-e2e", "kaisatsu-vision"},
}

# Crates that compute and neither store nor serve.
PURE = {
    "barcode-reader", "cosine-index", "inference-kernels", "kaisatsu-feedback", "kaisatsu-model", "kaisatsu-railmap",
    "kaisatsu-render", "kaisatsu-schematic", "kaisatsu-transit", "kaisatsu-vision",
}

# Outside crates that some of ours may not depend on, not even through others.
KEPT_OUT_OF = {
    "sqlx": PURE,
    "axum": PURE | {"kaisatsu-store", "kaisatsu-access"},
    "tokio": PURE,
}

# The only crates that may name an outside crate in their own dependencies.
NAMED_BY = {
    # A benchmark asks PostgreSQL by itself, as the yardstick of the store.
    "sqlx": {"kaisatsu-store", "kaisatsu-testkit", "bench-nearest"},
    "sqlx-macros": {"kaisatsu-store"},
    "axum": {
        "kaisatsu-http", "kaisatsu-http-console", "kaisatsu-http-mcp", "kaisatsu-http-pages", "bench-route-map",
    },
    "ort": {"kaisatsu-vision"},
    "prost": {"inference-kernels"},
    "reqwest": {"kaisatsu-fetch", "kaisatsu-store"},
    "object_store": {"kaisatsu-store"},
}


def main() -> int:
    metadata = json.loads(subprocess.check_output(["cargo", "metadata", "--format-version", "1", "--locked"]))
    packages = {package["id"]: package for package in metadata["packages"]}
    names = {package["id"]: package["name"] for package in metadata["packages"]}
    ours = set(metadata["workspace_members"])
    edges = {
        node["id"]: [d["pkg"] for d in node["deps"] if any(k["kind"] != "dev" for k in d["dep_kinds"])]
        for node in metadata["resolve"]["nodes"]
    }
    wrong = []
    for package in ours:
        name = names[package]
        if name not in MAY_USE:
            wrong.append(f"{name} has no row in tools/layers.py")
            continue
        named = {d["name"] for d in packages[package]["dependencies"] if d["kind"] != "dev"}
        inner = named & {names[other] for other in ours}
        wrong += [f"{name} may not use {other}" for other in sorted(inner - MAY_USE[name])]
        wrong += [f"{name} may not name {crate}" for crate, by in NAMED_BY.items() if crate in named and name not in by]
        reached = {names[other] for other in reach(package, edges)}
        kept_out = [crate for crate, out in KEPT_OUT_OF.items() if crate in reached and name in out]
        wrong += [f"{name} may not reach {crate}" for crate in kept_out]
    print("\n".join(wrong) or f"layers: {len(ours)} crates, every arrow points the right way")
    return 1 if wrong else 0


def reach(start, edges):
    """Everything that `start` depends on, at any distance."""
    seen, todo = set(), [start]
    while todo:
        for other in edges[todo.pop()]:
            if other not in seen:
                seen.add(other)
                todo.append(other)
    return seen


if __name__ == "__main__":
    sys.exit(main())
