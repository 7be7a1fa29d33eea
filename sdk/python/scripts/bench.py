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


def measure(call: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds of the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000


# In turns, so that whatever else the machine does meets both; on a busy one, only the processor's time says much.
pairs = [(measure(bare), measure(ours)) for _ in range(110)][10:]
for which, name in enumerate(("elapsed", "processor")):
    theirs = statistics.median(pair[0][which] for pair in pairs)
    own = statistics.median(pair[1][which] for pair in pairs)
    print(f"{name}: bare httpx {theirs:.2f} ms, this client {own:.2f} ms, difference {own - theirs:.2f} ms")
