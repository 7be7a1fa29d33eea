#!/usr/bin/env python3
"""Writes the reference of the library from the comments in its sources, and fails when something public has none.

    sdk/android/scripts/reference.py reference.md

It reads the layout that these sources have: four spaces for each level, and a comment right above what it is about.
"""

import re
import sys
from pathlib import Path

SOURCES = Path(__file__).resolve().parent.parent / "src" / "main" / "kotlin"
WORDS = r"(?:(?:public|private|internal|protected|override|open|abstract|sealed|data|const|suspend|inline|operator) )*"
DECLARED = re.compile(rf"(?P<words>{WORDS})(?P<kind>companion object|class|interface|object|fun|val|var|constructor)\b")
TYPES = {"class", "interface", "object", "companion object"}
PROPERTY = re.compile(r"(?<!private )\bva[lr] (\w+):")


def main() -> int:
    pages, wrong = [], []
    for source in sorted(SOURCES.rglob("*.kt")):
        for level, signature, comment in public(source.read_text().splitlines()):
            name = f"{source.name}: {signature.splitlines()[0]}"
            wrong += [] if comment else [f"{name} has no comment"]
            wrong += [f"{name} does not say what {each} is" for each in unsaid(signature, comment)]
            pages.append(f"{'#' * (2 + level)} `{' '.join(signature.split())}`\n\n{markdown(comment)}\n")
    version = (SOURCES.parents[3] / "VERSION").read_text().strip()
    Path(sys.argv[1]).write_text(f"# kaisatsu.android {version}\n\n" + "\n".join(pages))
    print("\n".join(wrong) or f"reference: {len(pages)} public declarations, all with a comment")
    return 1 if wrong else 0


def public(lines: list[str]):
    """What is public: its level, its signature and its comment."""
    around: list[tuple[int, bool]] = []  # the declarations around this line: their indents, and whether they are open
    comment: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        text, indent = line.strip(), len(line) - len(line.lstrip())
        number += 1
        if text.startswith("/**"):
            comment = [text]
            while not comment[-1].endswith("*/"):
                comment.append(lines[number].strip())
                number += 1
            continue
        declared = DECLARED.match(text)
        if not declared:
            comment = [] if text and not text.startswith("@") else comment
            continue
        while around and around[-1][0] >= indent:
            around.pop()
        level = len(around)
        inside = indent == 4 * level and all(open_ for _, open_ in around)
        hidden = re.search(r"private|internal|override", declared["words"]) or not inside
        around.append((indent, declared["kind"] in TYPES and not hidden))
        signature = [text]
        while "".join(signature).count("(") > "".join(signature).count(")"):
            signature.append(lines[number].strip())
            number += 1
        if not hidden and declared["kind"] != "companion object":
            yield level, head("\n".join(signature)), comment
        comment = []


def head(signature: str) -> str:
    """The signature without what it does."""
    depth = 0
    for at, sign in enumerate(signature):
        depth += {"(": 1, ")": -1, "<": 1}.get(sign, 0) - (sign == ">" and signature[at - 1] != "-")
        if depth == 0 and (sign == "{" or signature.startswith((" = ", " =\n", " get()"), at)):
            return signature[:at].rstrip(" =")
    return signature.rstrip(" =")


def unsaid(signature: str, comment: list[str]) -> list[str]:
    """The properties of a constructor that the comment says nothing about."""
    if not re.match(rf"{WORDS}class ", signature):
        return []
    said = " ".join(comment)
    return [name for name in PROPERTY.findall(signature) if not re.search(rf"@property {name}\b|\[{name}\]", said)]


def markdown(comment: list[str]) -> str:
    text = "\n".join(re.sub(r"^/\*\* ?|^\*/$|^\* ?|\s*\*/$", "", line) for line in comment).strip()
    return re.sub(r"^@(?:property|param) (\w+)", r"- `\1`:", re.sub(r"\[([\w.]+)\]", r"`\1`", text), flags=re.MULTILINE)


if __name__ == "__main__":
    sys.exit(main())
