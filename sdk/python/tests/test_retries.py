"""What is sent again, and when."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from kaisatsu_client import (
    AsyncKaisatsu,
    ConflictError,
    DataSetImage,
    Kaisatsu,
    KaisatsuError,
    RateLimitedError,
    Sent,
    TimeoutError,
    TransportError,
    UnavailableError,
)
from kaisatsu_client._settings import Settings, wait_before_next

HEALTH = {"status": "ok", "version": "1"}
CLASSIFIED = {"recognitionId": "r", "jobId": "r", "candidates": []}
Handler = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The waits, which take no time."""
    found: list[float] = []

    async def sleep(seconds: float) -> None:
        found.append(seconds)

    monkeypatch.setattr("kaisatsu_client._transport.time.sleep", found.append)
    monkeypatch.setattr("kaisatsu_client._transport.asyncio.sleep", sleep)
    return found


def answers(*given: httpx.Response | Exception) -> tuple[Handler, list[httpx.Request]]:
    """A server that gives these answers, one after the other, and the requests that it gets."""
    left, requests = list(given), []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        now = left.pop(0)
        if isinstance(now, Exception):
            raise now
        return now

    return handle, requests


def client(handle: Handler, **options: Any) -> Kaisatsu:
    return Kaisatsu("http://server", "kst_secret", http=httpx.Client(transport=httpx.MockTransport(handle)), **options)


def test_what_was_refused_is_sent_again_whatever_it_is(waits: list[float]) -> None:
    handle, requests = answers(httpx.ConnectError("refused"), httpx.Response(200, json=CLASSIFIED))
    assert client(handle).recognition.classify(b"picture").recognition_id == "r"
    assert len(requests) == 2
    assert 0.125 <= waits[0] <= 0.25


@pytest.mark.parametrize("fault", [httpx.ReadError("cut"), httpx.RemoteProtocolError("cut"), httpx.ReadTimeout("late")])
def test_a_recognition_that_may_have_been_received_is_not(waits: list[float], fault: Exception) -> None:
    handle, requests = answers(fault)
    with pytest.raises((TransportError, TimeoutError)):
        client(handle).recognition.classify(b"picture")
    assert len(requests) == 1
    assert not waits


@pytest.mark.usefixtures("waits")
def test_what_creates_something_is_sent_again_with_the_same_key() -> None:
    created = httpx.Response(202, json={"dataSetId": "d", "state": "queued"})
    busy = httpx.Response(409, json={"error": {"code": "202", "message": "m"}}, headers={"Retry-After": "1"})
    handle, requests = answers(httpx.ReadError("cut"), busy, created, created)
    images = [DataSetImage(image_id="i")]
    assert client(handle).datasets.create("t", "n", images).data_set_id == "d"
    keys = [request.headers["Idempotency-Key"] for request in requests]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert uuid.UUID(keys[0]).version == 4
    client(handle).datasets.create("t", "n", images, idempotency_key="mine")
    assert requests[-1].headers["Idempotency-Key"] == "mine"


def test_a_key_that_was_used_for_something_else_is_final(waits: list[float]) -> None:
    handle, _ = answers(httpx.Response(409, json={"error": {"code": "104", "message": "m"}}))
    with pytest.raises(ConflictError):
        client(handle).images.upload("t", b"picture")
    assert not waits


def test_a_dataset_that_is_being_built_is_not_waited_for(waits: list[float]) -> None:
    handle, requests = answers(httpx.Response(409, headers={"Retry-After": "2"}))
    with pytest.raises(ConflictError) as raised:
        client(handle).recognition.classify(b"picture", data_set_id="d", token="t")
    assert raised.value.retry_after == 2
    assert "Idempotency-Key" not in requests[0].headers
    assert not waits


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("fault", [httpx.ReadError("cut"), httpx.ReadTimeout("late"), httpx.WriteError("cut")])
def test_what_only_reads_is_sent_again(fault: Exception) -> None:
    handle, requests = answers(fault, fault, httpx.Response(200, json=HEALTH))
    assert client(handle).health().status == "ok"
    assert len(requests) == 3


def test_retry_after_is_obeyed(waits: list[float]) -> None:
    handle, _ = answers(httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(200, json=HEALTH))
    client(handle).health()
    assert waits == [7]


def test_nobody_waits_past_the_end_of_the_call(waits: list[float]) -> None:
    handle, requests = answers(httpx.Response(429, headers={"Retry-After": "7"}))
    with pytest.raises(RateLimitedError) as raised:
        client(handle, total_timeout=5).health()
    assert raised.value.retry_after == 7
    assert len(requests) == 1
    assert not waits


def test_a_503_without_a_time_is_final_for_a_recognition(waits: list[float]) -> None:
    handle, _ = answers(httpx.Response(503))
    with pytest.raises(UnavailableError):
        client(handle).recognition.classify(b"picture")
    assert not waits


@pytest.mark.usefixtures("waits")
def test_attempts_are_counted() -> None:
    handle, requests = answers(*[httpx.Response(503, headers={"Retry-After": "1"})] * 5)
    with pytest.raises(UnavailableError):
        client(handle, attempts=5).health()
    assert len(requests) == 5


@pytest.mark.usefixtures("waits")
def test_the_asynchronous_client_does_the_same() -> None:
    handle, requests = answers(httpx.ConnectError("refused"), httpx.ReadError("cut"), httpx.Response(200, json=HEALTH))

    async def call() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(handle))
        async with AsyncKaisatsu("http://server", http=http) as kaisatsu:
            assert (await kaisatsu.health()).status == "ok"

    asyncio.run(call())
    assert len(requests) == 3


def test_every_attempt_is_reported_without_the_key(waits: list[float]) -> None:
    sent: list[Sent] = []
    handle, _ = answers(httpx.ReadError("cut"), httpx.Response(404, headers={"X-Request-Id": "q-1"}))
    with pytest.raises(KaisatsuError):
        client(handle, on_request=sent.append, key_in="query").recognition.explain("r")
    assert [(one.attempt, one.status, one.error, one.request_id) for one in sent] == [
        (1, None, "transport", None),
        (2, 404, "notFound", "q-1"),
    ]
    assert "secret" not in repr(sent)
    assert len(waits) == 1


def wait(attempt: int, chance: Callable[[float, float], float]) -> float | None:
    settings = Settings("http://server", attempts=20)
    error = TransportError("cut")
    return wait_before_next(
        settings, error, nothing_sent=False, repeatable=True, attempt=attempt, elapsed=0, chance=chance
    )


def test_waits_grow_up_to_a_limit_and_are_spread() -> None:
    assert [wait(attempt, max) for attempt in range(1, 8)] == [0.25, 0.5, 1, 2, 4, 8, 8]
    assert [wait(attempt, min) for attempt in range(1, 4)] == [0.125, 0.25, 0.5]
