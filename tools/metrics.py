#!/usr/bin/env python3
"""Checks that the table in docs/operations.md has the metrics that the server has, and no other."""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DESCRIBED = re.compile(r'describe_(?:counter|gauge|histogram)!\(\s*(?:"([a-z_]+)"|([A-Z_]+))')
NAME = re.compile(r'const ([A-Z_]+): &str = "([a-z_]+)"')
WRITTEN = re.compile(r"# TYPE ([a-z_]+) ")  # in the text itself
USED = re.compile(r'\b(?:counter|gauge|histogram)!\(\s*"([a-z_]+)"')


def main() -> int:
    sources = [path.read_text() for path in sorted(ROOT.glob("crates/*/src/**/*.rs"))]
    names = {constant: name for text in sources for constant, name in NAME.findall(text)}
    described, used = set(), set()
    for text in sources:
        described |= {literal or names[constant] for literal, constant in DESCRIBED.findall(text)}
        described |= set(WRITTEN.findall(text))
        used |= set(USED.findall(text))
    listed = re.findall(r"^\| `((?:kaisatsu|process)_[a-z_]+)` \|", (ROOT / "docs/operations.md").read_text(), re.M)
    problems = [f"{name} has no description" for name in sorted(used - described)]
    problems += [f"{name} is not in docs/operations.md" for name in sorted(described - set(listed))]
    problems += [f"docs/operations.md has {name}, which no server has" for name in sorted(set(listed) - described)]
    problems += [f"docs/operations.md has {name} twice" for name in sorted(set(listed)) if listed.count(name) > 1]
    print("\n".join(problems) or f"metrics: {len(listed)}, all of them in docs/operations.md")
    return 1 if problems or not described else 0


if __name__ == "__main__":
    sys.exit(main())
