"""Turns JSON into dataclasses: `data_set_id` of a class is `dataSetId` of the wire.

The metadata `wire` of a field says otherwise: a name, and the function that reads what is there.
"""

from __future__ import annotations

import dataclasses
import functools
import types
import typing
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, TypeVar

T = TypeVar("T")


class Malformed(Exception):
    """An answer without a field that must be there, or with a value of another type. The message says which."""


def camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def decode(type_: type[T], wire: Any) -> T:
    """Unknown fields are ignored, and optional ones may be missing or null."""
    return typing.cast("T", _decode(type_, wire, "the answer"))


def decoder(type_: type[T]) -> Callable[[Any], T]:
    return functools.partial(decode, type_)


def _decode(type_: Any, wire: Any, where: str) -> Any:
    origin = typing.get_origin(type_)
    if origin in (typing.Union, types.UnionType):
        (inner,) = (choice for choice in typing.get_args(type_) if choice is not type(None))
        return None if wire is None else _decode(inner, wire, where)
    if origin is list:
        (inner,) = typing.get_args(type_)
        return [_decode(inner, value, where) for value in _checked(list, wire, where)]
    if origin in (dict, Mapping) or type_ is dict:
        return _checked(dict, wire, where)
    if dataclasses.is_dataclass(type_):
        return _decode_object(typing.cast("type[Any]", type_), _checked(dict, wire, where))
    if type_ is datetime:
        try:
            return datetime.fromisoformat(_checked(str, wire, where).replace("Z", "+00:00"))
        except ValueError:
            raise Malformed(f"{where} is not a time") from None
    if type_ is float and isinstance(wire, int) and not isinstance(wire, bool):
        return float(wire)
    if type_ is int and isinstance(wire, bool):
        raise Malformed(f"{where} is not a number")
    return wire if type_ is Any else _checked(type_, wire, where)


def _decode_object(type_: type[Any], wire: dict[str, Any]) -> Any:
    hints = _hints(type_)
    values = {}
    for field in dataclasses.fields(type_):
        name, read = field.metadata.get("wire") or (camel(field.name), None)
        if wire.get(name) is not None:
            values[field.name] = read(wire[name]) if read else _decode(hints[field.name], wire[name], name)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise Malformed(f"{name} is missing")
    return type_(**values)


_known_hints: dict[type[Any], dict[str, Any]] = {}


def _hints(type_: type[Any]) -> dict[str, Any]:
    if type_ not in _known_hints:
        _known_hints[type_] = typing.get_type_hints(type_)
    return _known_hints[type_]


def _checked(type_: type[T], wire: Any, where: str) -> T:
    if not isinstance(wire, type_):
        raise Malformed(f"{where} is not of type {type_.__name__}")
    return wire
