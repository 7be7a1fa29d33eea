#!/usr/bin/env python3
"""Checks that the code in the READMEs of the SDKs is that of the example files.

A README names the file in a comment before the code block:

    <!-- examples/around_me.py -->

Every example of the folder must be shown. `--write` copies the files into the README.
"""

import re
import sys
from pathlib import Path

SDK = Path(__file__).resolve().parent.parent
BLOCK = re.compile(r"(<!-- (examples/\S+) -->\n+```\w*\n)(.*?)(^```$)", re.DOTALL | re.MULTILINE)
NAMES = {"aroundme", "whatisthis", "teach", "correct"}


def main() -> int:
    languages = [name for name in sys.argv[1:] if not name.startswith("-")]
    languages = languages or sorted(path.parent.name for path in SDK.glob("*/README.md") if path.parent.name != "cases")
    wrong = [message for language in languages for message in check(language)]
    print("\n".join(wrong) or f"readme: the examples of {', '.join(languages)} are those of the files")
    return 1 if wrong else 0


def check(language: str) -> list[str]:
    readme = SDK / language / "README.md"
    wrong, shown = [], set()

    def replaced(block: re.Match[str]) -> str:
        path = readme.parent / block[2]
        # The name of an example is that of its file or, where a file has to be called Main or index, of its folder.
        shown.update(re.sub("[^a-z]", "", part.split(".")[0].lower()) for part in Path(block[2]).parts)
        if not path.is_file():
            wrong.append(f"{language}/README.md: there is no {block[2]}")
            return block[0]
        if path.read_text() != block[3]:
            wrong.append(f"{language}/README.md: {block[2]} differs; sdk/cases/check_readme.py --write copies it")
        return block[1] + path.read_text() + block[4]

    text = BLOCK.sub(replaced, readme.read_text())
    wrong += [f"{language}/README.md: the example {name} is not shown" for name in sorted(NAMES - shown)]
    if "--write" in sys.argv:
        readme.write_text(text)
        return [message for message in wrong if "differs" not in message]
    return wrong


if __name__ == "__main__":
    sys.exit(main())
