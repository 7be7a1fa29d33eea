"""Measures what a cold call costs beside a bare httpx client: a new client, one call, closed again."""

import os
import statistics
import time
from collections.abc import Callable

import httpx

from kaisatsu_client import Kaisatsu

URL = os.environ["KAISATSU_URL"]


def bare() -> None:
    with httpx.Client() as http:
        http.get(f"{URL}/healthz").raise_for_status().json()


def ours() -> None:
    with Kaisatsu(URL) as kaisatsu:
        kaisatsu.health()


def milliseconds(call: Callable[[], None]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


# In turns, so that whatever else the machine does meets both.
pairs = [(milliseconds(bare), milliseconds(ours)) for _ in range(60)][10:]
print(f"bare httpx {statistics.median(bare for bare, _ in pairs):.2f} ms, ", end="")
print(f"this client {statistics.median(ours for _, ours in pairs):.2f} ms, ", end="")
print(f"difference {statistics.median(ours - bare for bare, ours in pairs):.2f} ms")
