#!/usr/bin/env python3
"""Checks that no hand-written line is longer than 120 columns.

The rule holds for code, comments and prose in every text file under version control. Exempt is what is generated, and
what cannot be broken or reads worse when it is:

- a row of a Markdown table, because a row is one line in Markdown;
- a line without a space, such as an address or a hash;
- a line of code with a string of more than 60 characters, so that a search for a message finds it;
- test data, that is a file in a folder named data, corpus or cases.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIMIT = 120
ENDINGS = {
    ".rs",
    ".toml",
    ".md",
    ".py",
    ".ts",
    ".js",
    ".mjs",
    ".svelte",
    ".css",
    ".html",
    ".sql",
    ".yml",
    ".yaml",
    ".sh",
    ".java",
    ".swift",
    ".kt",
    "",
}
EXEMPT = re.compile(
    r"(^|/)(Cargo\.lock|LICENSE|package-lock\.json)$|^crates/railmap/maps/|\.codes\.toml$|requirements?\.txt$"
    r"|(^|/)(data|corpus|cases|openapi)/"
)
LONG_STRING = re.compile(r"""(["'`])(?:(?!\1)[^\\]|\\.){60,}(\1|$)""")


def main() -> int:
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    wrong = []
    for name in filter(None, listed):
        path = ROOT / name
        if path.suffix not in ENDINGS or EXEMPT.search(name) or not path.is_file():
            continue
        for number, line in enumerate(path.read_text().splitlines(), 1):
            if len(line) > LIMIT and not unbreakable(line, path.suffix):
                wrong.append(f"{name}:{number}: {len(line)} columns")
    print("\n".join(wrong) or f"lines: none is longer than {LIMIT} columns")
    return 1 if wrong and "--report" not in sys.argv else 0


def unbreakable(line: str, ending: str) -> bool:
    if ending == ".md":
        return line.lstrip().startswith("|") or " " not in line.strip()
    return " " not in line.strip().lstrip("#/*-! ") or bool(LONG_STRING.search(line))


if __name__ == "__main__":
    sys.exit(main())
