"""A call of an operation, and how its answer is read. Nothing here depends on how it is sent."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ._decode import Malformed, decode
from .errors import ApiError, MalformedAnswerError, error_of
from .models.maps import File
from .pictures import Encoded

T = TypeVar("T")
Value = str | int | float | bool | None
Form = Sequence[tuple[str, Value | Encoded]]


@dataclass(frozen=True)
class Answer:
    """An answer of the server, read to its end."""

    status: int
    headers: Mapping[str, str]
    content: bytes

    @property
    def request_id(self) -> str | None:
        return self.headers.get("x-request-id")


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request, and how to read its answer."""

    method: str
    path: str
    read: Callable[[Answer], T]
    query: Mapping[str, Value] = field(default_factory=dict)
    json: Mapping[str, Any] | None = None
    form: Form | None = None
    body: bytes | None = None
    repeatable: bool = False
    """Whether it may be sent again when it may have been received: see sdk/cases/README.md."""
    has_key: bool = True
    idempotency_key: str | None = None
    """Of what creates something. All attempts have the same one, so that the server does the work once."""

    def parameters(self) -> dict[str, str]:
        return {name: text(value) for name, value in self.query.items() if value is not None}

    def parts(self) -> list[tuple[str, tuple[str | None, bytes]]] | None:
        """The form for httpx. Fields are parts without a file name, so that it is multipart without a file too."""
        if self.form is None:
            return None
        return [
            (name, (value.name, value.content) if isinstance(value, Encoded) else (None, text(value).encode()))
            for name, value in self.form
            if value is not None
        ]

    def result(self, answer: Answer) -> T:
        """The result, or the error that the server answered with."""
        if answer.status >= 400:
            raise _failure(answer)
        if answer.status >= 300:
            raise _malformed(answer, f"status {answer.status} is none of Kaisatsu's")
        try:
            return self.read(answer)
        except Malformed as error:
            raise _malformed(answer, str(error)) from error


def once(idempotency_key: str | None) -> str:
    """The caller's key, or a random one."""
    return idempotency_key if idempotency_key is not None else str(uuid.uuid4())


def text(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def wire(answer: Answer) -> Any:
    """The JSON of an answer."""
    try:
        return json.loads(answer.content.decode("utf-8", "strict"))
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise Malformed("it is not JSON") from error


def reading(read: Callable[[Any], T]) -> Callable[[Answer], T]:
    return lambda answer: read(wire(answer))


def read_as(type_: type[T]) -> Callable[[Answer], T]:
    return lambda answer: decode(type_, wire(answer))


def read_nothing(_: Answer) -> None:
    return None


def read_file(answer: Answer) -> File:
    return File(
        content=answer.content,
        content_type=answer.headers.get("content-type", "application/octet-stream"),
        etag=answer.headers.get("etag"),
    )


def _malformed(answer: Answer, what: str) -> MalformedAnswerError:
    message = f"malformed answer: {what}"
    return MalformedAnswerError(message, status=answer.status, request_id=answer.request_id)


def _failure(answer: Answer) -> ApiError:
    code, message = None, f"the server answered with status {answer.status}"
    try:
        body = wire(answer)
        if isinstance(body, dict):
            inner = body.get("error") or body.get("ResultSet", {}).get("Error")
            code, message = str(inner["code"]), str(inner.get("message") or inner.get("Message") or message)
    except (Malformed, AttributeError, KeyError, TypeError):
        pass  # something between client and server answered; the status says enough
    return error_of(answer.status, code, message, answer.request_id, retry_after(answer.headers))


def retry_after(headers: Mapping[str, str]) -> float | None:
    try:
        return max(0.0, float(headers["retry-after"]))
    except (KeyError, ValueError):
        return None
