"""Measures what a cold call costs beside a bare httpx client: a new client, one call, closed again."""

import os
import statistics
import time
from collections.abc import Callable

import httpx

from kaisatsu_client import Kaisatsu

URL = os.environ["KAISATSU_URL"]
# A new client of httpx reads the certificates of all authorities, which takes 30 ms of the processor, with or without
# this package. Both get what was read once, so that the difference can be seen.
CERTIFICATES = httpx.create_ssl_context()


def bare() -> None:
    with httpx.Client(verify=CERTIFICATES) as http:
        http.get(f"{URL}/healthz").raise_for_status().json()


def ours() -> None:
    with httpx.Client(verify=CERTIFICATES) as http, Kaisatsu(URL, http=http) as kaisatsu:
        kaisatsu.health()


def measure(call: Callable[[], None]) -> tuple[float, float]:
    """Milliseconds of the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - clock) * 1000, (time.process_time() - processor) * 1000


# In turns, so that whatever else the machine does meets both; on a busy one, only the processor's time says much.
pairs = [(measure(bare), measure(ours)) for _ in range(500)][100:]
for which, name in enumerate(("elapsed", "processor")):
    theirs = statistics.median(pair[0][which] for pair in pairs)
    own = statistics.median(pair[1][which] for pair in pairs)
    print(f"{name}: bare httpx {theirs:.2f} ms, this client {own:.2f} ms, difference {own - theirs:.2f} ms")
