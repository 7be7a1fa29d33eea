#!/usr/bin/env python3
"""Checks that no test is left out.

- Every file of tests that are one program is a part of it: a file that tests/main.rs does not name is never compiled.
- A crate whose manifest says that its documentation has no examples has none: they would never run.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> int:
    programs = sorted(path for path in ROOT.glob("*/tests/main.rs")) + sorted(ROOT.glob("*/*/tests/main.rs"))
    missing, files = [], 0
    for program in programs:
        for file in sorted(program.parent.rglob("*.rs")):
            files += 1
            if file != program and not is_named(file, program):
                missing.append(f"{file.relative_to(ROOT)}: {parent_of(file, program).relative_to(ROOT)} does not name it")
    for manifest in sorted(ROOT.glob("*/Cargo.toml")) + sorted(ROOT.glob("*/*/Cargo.toml")):
        if "doctest = false" in manifest.read_text():
            sources = sorted((manifest.parent / "src").rglob("*.rs"))
            missing += [f"{file.relative_to(ROOT)}: an example that doctest = false leaves out"
                        for file in sources if has_example(file.read_text())]
    for line in missing:
        print(line)
    if not missing:
        print(f"test modules: {files} files in {len(programs)} programs, none left out")
    return 1 if missing else 0


def has_example(source: str) -> bool:
    """Whether its documentation has a block of code. Every second fence ends one, and a block of text is none."""
    fences = re.findall(r"^\s*//[/!]\s*```(.*)$", source, re.MULTILINE)
    return any(fence.strip() != "text" for fence in fences[::2])


def parent_of(file: Path, program: Path) -> Path:
    """The file that has to name a module: that of the folder, or of the folder above it for a folder's own."""
    folder = file.parent.parent if file.name == "mod.rs" else file.parent
    return program if folder == program.parent else folder / "mod.rs"


def is_named(file: Path, program: Path) -> bool:
    name = file.parent.name if file.name == "mod.rs" else file.stem
    manifest = program.parent.parent / "Cargo.toml"
    if file.parent == program.parent and re.search(rf'^name = "{name}"$', manifest.read_text(), re.MULTILINE):
        return True  # a program of its own
    parent = parent_of(file, program)
    return parent.exists() and bool(re.search(rf"^mod {name};$", parent.read_text(), re.MULTILINE))


if __name__ == "__main__":
    sys.exit(main())
