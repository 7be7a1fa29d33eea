"""Results as plain JSON, and their comparison with what the story expects."""

from __future__ import annotations

import dataclasses
import math
from datetime import datetime
from typing import Any

from kaisatsu_client._decode import camel
from kaisatsu_client.models.maps import File


def plain(value: Any) -> Any:
    if isinstance(value, File):
        return {"contentType": value.content_type, "size": len(value.content)}
    if dataclasses.is_dataclass(value):
        fields = {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
        return {camel(name): plain(inner) for name, inner in fields.items() if inner is not None}
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value


def lookup(value: Any, path: str) -> Any:
    if path == "" or value is None:
        return value
    first, _, rest = path.partition(".")
    if isinstance(value, list):
        if first == "*":
            return [lookup(inner, rest) for inner in value]
        if first == "length":
            return len(value)
        return lookup(value[int(first)], rest) if int(first) < len(value) else None
    return lookup(value.get(first), rest) if isinstance(value, dict) else None


def differences(value: Any, expected: dict[str, Any], saved: dict[str, Any]) -> list[str]:
    """What of a result, an error or a request is not as expected."""
    return [
        f"{path or 'the result'} is {lookup(value, path)!r}, not {what!r}"
        for path, what in expected.items()
        if not _holds(lookup(value, path), what, value, saved)
    ]


def _holds(found: Any, what: Any, whole: Any, saved: dict[str, Any]) -> bool:
    if isinstance(what, str) and what.startswith("$$"):
        return bool(found == lookup(whole, what[2:]))
    if isinstance(what, str) and what.startswith("$"):
        return bool(found == saved[what[1:]])
    if not isinstance(what, dict):
        return bool(found == what) and isinstance(found, bool) == isinstance(what, bool)
    ((matcher, operand),) = what.items()
    match matcher:
        case "exists":
            return bool((found is not None) == operand)
        case "atLeast":
            return _is_number(found) and found >= operand
        case "atMost":
            return _is_number(found) and found <= operand
        case "near":
            return _is_number(found) and math.isclose(found, operand[0], rel_tol=0, abs_tol=operand[1])
        case "contains":
            return isinstance(found, str) and any(part in found for part in operand.split("|"))
        case "includes":
            sought = saved[operand[1:]] if isinstance(operand, str) and operand.startswith("$") else operand
            return isinstance(found, list) and sought in found
        case "oneOf":
            return bool(found in operand)
    raise ValueError(f"unknown matcher {matcher}")


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
