#!/usr/bin/env python3
"""Checks that no hand-written line is longer than 120 columns.

The rule holds for code, comments and prose in every text file under version control. Exempt are generated files, and
what cannot be broken or reads worse when it is:

- a row of a Markdown table, because a row is one line in Markdown, and code blocks, which show commands and output;
- a line without a space, such as an address or a hash;
- a line of code with a string of more than 60 characters, so that a search for a message finds it;
- test data, that is a file in a folder named data, corpus or cases;
- migrations, which must not change once released.
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
    r"(^|/)(Cargo\.lock|LICENSE|package-lock\.json)$|^crates/railmap/maps/|/migrations/|\.codes\.toml$|requirements?\.txt$"
    r"|(^|/)(data|corpus|cases|openapi)/"
)
COMMENT = re.compile(r"\s*(//|#(?!\[)|\*|<!--)")
LONG_STRING = re.compile(r"""(["'`])(?:(?!\1)[^\\]|\\.){60,}(\1|\\$)""")


def main() -> int:
    listed = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True).split("\0")
    wrong = []
    for name in filter(None, listed):
        path = ROOT / name
        if path.suffix not in ENDINGS or EXEMPT.search(name) or not path.is_file():
            continue
        lines = path.read_text().splitlines()
        if path.suffix == ".md":
            lines = without_code_blocks(lines)
        for number, line in enumerate(lines, 1):
            if len(line) > LIMIT and not unbreakable(line, path.suffix):
                wrong.append(f"{name}:{number}: {len(line)} columns")
    print("\n".join(wrong) or f"lines: none is longer than {LIMIT} columns")
    return 1 if wrong and "--report" not in sys.argv else 0


def without_code_blocks(lines: list[str]) -> list[str]:
    """The lines, with those of code blocks empty."""
    kept, inside = [], False
    for line in lines:
        fence = line.lstrip().startswith("```")
        inside ^= fence
        kept.append("" if inside or fence or line.startswith("    ") else line)
    return kept


def unbreakable(line: str, ending: str) -> bool:
    if ending == ".md":
        return line.lstrip().startswith("|") or " " not in line.strip()
    if " " not in line.strip().lstrip("#/*-! "):
        return True
    return not COMMENT.match(line) and bool(LONG_STRING.search(line))


if __name__ == "__main__":
    sys.exit(main())
