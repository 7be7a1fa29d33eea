"""The settings of a client, and the decision whether and when a call is sent again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from .errors import ConflictError, KaisatsuError, RetryableError, TimeoutError, TransportError, UnavailableError

FIRST_WAIT = 0.25
LONGEST_WAIT = 8.0


@dataclass(frozen=True)
class Sent:
    """A request that was sent: what the hook `on_request` gets. It contains no key and no token."""

    method: str
    path: str
    """Without the query."""
    attempt: int
    """Counted from 1."""
    status: int | None
    """None if there was no answer."""
    duration: float
    """Seconds."""
    request_id: str | None
    error: str | None
    """The kind of the error, such as notFound or timeout."""


@dataclass(frozen=True)
class Settings:
    """How a client calls the server."""

    base_url: str
    key: str | None = field(default=None, repr=False)
    key_in: Literal["header", "query"] = "header"
    timeout: float = 30.0
    total_timeout: float = 120.0
    attempts: int = 3
    max_answer_bytes: int = 64 * 1024 * 1024
    gcs: Literal["wgs84", "tokyo"] = "wgs84"
    route_service: str = "route_service"
    on_request: Callable[[Sent], None] | None = None

    def __post_init__(self) -> None:
        if not self.base_url.startswith(("http://", "https://")):
            raise ValueError(f"base_url must begin with http:// or https://, not {self.base_url!r}")
        if self.attempts < 1 or self.timeout <= 0 or self.total_timeout <= 0 or self.max_answer_bytes < 1:
            raise ValueError("attempts, timeout, total_timeout and max_answer_bytes must be positive")
        if self.key_in not in ("header", "query"):
            raise ValueError("key_in is header or query")


class NothingSent(Exception):
    """Marks an error that occurred before anything was sent, so that repeating is harmless."""

    def __init__(self, error: KaisatsuError) -> None:
        super().__init__(str(error))
        self.error = error


def wait_before_next(
    settings: Settings,
    error: KaisatsuError,
    *,
    nothing_sent: bool,
    repeatable: bool,
    once: bool = False,
    attempt: int,
    elapsed: float,
    chance: Callable[[float, float], float] = random.uniform,
) -> float | None:
    """The seconds to wait before the next attempt, or None if there is to be none."""
    if attempt >= settings.attempts or not _may_repeat(error, nothing_sent, repeatable or once, once):
        return None
    backoff = min(FIRST_WAIT * 2.0 ** (attempt - 1), LONGEST_WAIT)
    # Jitter: clients that failed at the same moment must not come back at the same moment.
    wait = chance(backoff / 2, backoff)
    if isinstance(error, RetryableError) and error.retry_after is not None:
        wait = max(wait, error.retry_after)
    return wait if elapsed + wait < settings.total_timeout else None


def _may_repeat(error: KaisatsuError, nothing_sent: bool, repeatable: bool, once: bool) -> bool:
    if nothing_sent:
        return True
    if isinstance(error, ConflictError):
        return once and error.retry_after is not None  # the server is still at work on an attempt before this one
    if isinstance(error, UnavailableError):
        return repeatable or error.retry_after is not None
    if isinstance(error, RetryableError):
        return True
    return repeatable and isinstance(error, (TransportError, TimeoutError))
