"""Generates the blocking client from the one that does not block. `--check` says whether it is up to date."""

import re
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "kaisatsu_client"
RULES = [
    (r"import asyncio\n", ""),
    (r"await asyncio\.sleep", "time.sleep"),
    (r"\basync (def|for|with) ", r"\1 "),
    (r"\bawait ", ""),
    (r"\bAsyncIterator\b", "Iterator"),
    (r"\bAsync(Client|[A-Z]\w+)", r"\1"),
    (r"__aenter__", "__enter__"),
    (r"__aexit__", "__exit__"),
    (r"`async with`", "`with`"),
    (
        r'"""The client without blocking\. .*?"""',
        '"""The blocking client. Generated from `_async` by scripts/make_sync.py: do not edit it."""',
    ),
]


def main() -> int:
    stale = []
    for source in sorted((PACKAGE / "_async").glob("*.py")):
        text = source.read_text()
        for pattern, replacement in RULES:
            text = re.sub(pattern, replacement, text, flags=re.DOTALL)
        target = PACKAGE / "_sync" / source.name
        if not target.is_file() or target.read_text() != text:
            stale.append(target.name)
            if "--check" not in sys.argv:
                target.parent.mkdir(exist_ok=True)
                target.write_text(text)
    if stale and "--check" in sys.argv:
        print(f"stale: {', '.join(stale)}; run scripts/make_sync.py")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
