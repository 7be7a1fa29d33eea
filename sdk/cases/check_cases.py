#!/usr/bin/env python3
"""Checks the list of operations and the story against the OpenAPI document, so that no parameter is forgotten.

- Every parameter and field of an operation is an argument in `with`, or has a reason in `without`.
- Every argument is used in a step of the story.
"""

import json
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
# What the clients add themselves, and headers.
NOT_ARGUMENTS = {"APIKEY", "Idempotency-Key", "If-None-Match"}
# What the clients call otherwise than the wire.
NAMES = {"lati_d": "latitude", "longi_d": "longitude", "barcode": "barcodes"}
# Arguments that are not in the document: a body, a header, and fields with names of the caller's.
UNDOCUMENTED = {"recognize": {"image"}, "addItem": {"details", "images"}}


def main() -> int:
    document = json.loads((HERE.parent.parent / "web" / "openapi" / "api.json").read_text())
    operations = {row["operationId"]: row for row in json.loads((HERE / "operations.json").read_text())}
    wrong = []
    for path in document["paths"].values():
        for operation in path.values():
            row = operations.get(operation["operationId"])
            wrong += arguments(row, documented(operation, document)) if row else [f"no {operation['operationId']}"]
    wrong += untold(operations.values(), json.loads((HERE / "story.json").read_text()))
    print("\n".join(wrong) or "cases: every parameter of the document is an argument, and every argument is in the story")
    return 1 if wrong else 0


def documented(operation: dict, document: dict) -> set[str]:
    """The parameters and the fields of the bodies, as the wire calls them."""
    found = {parameter["name"] for parameter in operation.get("parameters", [])}
    for content in operation.get("requestBody", {}).get("content", {}).values():
        schema = content.get("schema", {})
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        found |= schema.get("properties", {}).keys()
    return found - NOT_ARGUMENTS


def arguments(row: dict, found: set[str]) -> list[str]:
    name, taken = row["operationId"], set(row["with"])
    named = {NAMES[field] if NAMES.get(field) in taken else field for field in found}
    named |= {"idempotencyKey"} if row.get("once") else set()
    named |= UNDOCUMENTED.get(name, set())
    named -= {"image"} if name == "addItem" else set()  # it is called `images`
    left_out = set(row.get("without", {}))
    wrong = [f"{name}: {field} is in the document only" for field in sorted(named - taken - left_out)]
    invented = (taken | left_out) - named
    wrong += [f"{name}: {field} is not in the document" for field in sorted(invented)]
    return wrong


def untold(operations: list[dict], story: list[dict]) -> list[str]:
    told: dict[str, set[str]] = {}
    for step in story:
        told.setdefault(step["call"], set()).update(step.get("with", {}))
    wrong = []
    for row in operations:
        calls = [f"{row['group']}.{row[kind]}".lstrip(".") for kind in ("name", "each") if kind in row]
        used = set().union(*(told.get(call, set()) for call in calls))
        missing = [field for field in row["with"] if field not in used]
        wrong += [f"{row['operationId']}: no step of the story has {field}" for field in missing]
        wrong += [f"{row['operationId']}: no step of the story calls {call}" for call in calls if call not in told]
    return wrong


if __name__ == "__main__":
    sys.exit(main())
