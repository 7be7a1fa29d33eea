"""Keeps keys and tokens out of httpx's own log lines, which contain the whole address of every request."""

from __future__ import annotations

import logging
import re

import httpx

_SECRET = re.compile(r"(?i)([?&](?:APIKEY|token)=)[^&#\s]*")


def redact(address: str) -> str:
    return _SECRET.sub(r"\1…", address)


class _Filter(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(redact(str(arg)) if isinstance(arg, httpx.URL) else arg for arg in record.args)
        return True


_filter = _Filter()


def install() -> None:
    """The address of a request of other libraries changes only where it has a parameter of these names."""
    logging.getLogger("httpx").addFilter(_filter)
