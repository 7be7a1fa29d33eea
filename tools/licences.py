#!/usr/bin/env python3
"""Checks that the binary contains only crates with permissive licences."""

import json
import re
import subprocess
import sys

PERMISSIVE = {
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "BSD-1-Clause",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "Unicode-DFS-2016",
    "CC0-1.0",
    "0BSD",
    "BSL-1.0",
    "Unlicense",
    "OpenSSL",
    "CDLA-Permissive-2.0",
    # Obliges to publish changes to its own files, and we make none.
    "MPL-2.0",
}


def allowed(expression: str) -> bool:
    """Evaluates an SPDX expression: AND needs both sides, OR one."""
    tokens = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    text = " ".join(
        {"AND": "and", "OR": "or"}.get(t, t) if t in "()" or t in ("AND", "OR", "WITH") else f"<{t}>" for t in tokens
    )
    text = re.sub(r"<([^>]+)> WITH <[^>]+>", r"<\1>", text)
    text = re.sub(r"<([^>]+)>", lambda m: str(m.group(1).removesuffix("+") in PERMISSIVE), text)
    return bool(eval(text, {"__builtins__": {}}))  # noqa: S307 — only True, False, and, or, parentheses are left


def main() -> int:
    tree = subprocess.check_output(
        [
            "cargo",
            "tree",
            "--locked",
            "--package",
            "kaisatsu",
            "--edges",
            "normal",
            "--prefix",
            "none",
            "--format",
            "{p}\t{l}",
        ],
        text=True,
    )
    rows = sorted({tuple(line.replace(" (*)", "").split("\t")) for line in tree.splitlines()})
    wrong = [f"{name}: {licence or 'no licence'}" for name, licence in rows if not licence or not allowed(licence)]
    print("\n".join(wrong) or f"licences: {len(rows)} crates in the binary, all permissive")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
