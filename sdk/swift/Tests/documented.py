#!/usr/bin/env python3
"""Checks that every public symbol of a symbol graph has a documentation comment: documented.py FOLDER

swift-format looks at types and functions outside of types alone.
"""

import json
import sys
from pathlib import Path

count, missing = 0, []
for file in Path(sys.argv[1]).glob("KaisatsuSDK*.symbols.json"):
    for symbol in json.loads(file.read_text())["symbols"]:
        # What the compiler writes itself, such as `==`, has no place in a file.
        if "location" not in symbol or "::SYNTHESIZED::" in symbol["identifier"]["precise"]:
            continue
        count += 1
        if not any(line["text"].strip() for line in symbol.get("docComment", {}).get("lines", [])):
            place = symbol["location"]
            line = f"{place['uri'].rpartition('/')[2]}:{place['position']['line'] + 1}"
            missing.append(f"{line}: {'.'.join(symbol['pathComponents'])} is not documented")
print("\n".join(missing) or f"{count} public symbols are documented")
sys.exit(1 if missing or count == 0 else 0)
