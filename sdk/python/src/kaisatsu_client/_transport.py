"""Sends calls over httpx, blocking or not. The decisions are in `_settings`."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from typing import Any, TypeVar

import httpx

from . import _redact
from ._call import Answer, Call
from ._settings import NothingSent, Sent, Settings, wait_before_next
from ._version import __version__
from .errors import KaisatsuError, MalformedAnswerError, TimeoutError, TransportError

T = TypeVar("T")
USER_AGENT = f"kaisatsu-sdk-python/{__version__}"


class _Base:
    """What both transports share."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        _redact.install()

    def _request(self, http: httpx.Client | httpx.AsyncClient, call: Call[Any], timeout: float) -> httpx.Request:
        headers = {"User-Agent": USER_AGENT, "Accept": "*/*"}
        query = call.parameters()
        if call.has_key and self.settings.key is not None:
            if self.settings.key_in == "header":
                headers["X-API-Key"] = self.settings.key
            else:
                query["APIKEY"] = self.settings.key
        if call.idempotency_key is not None:
            headers["Idempotency-Key"] = call.idempotency_key
        body: dict[str, Any] = {}
        if call.json is not None:
            body["json"] = call.json
        elif call.form is not None:
            body["files"] = call.parts()
        elif call.body is not None:
            body["content"] = call.body
            headers["Content-Type"] = "application/octet-stream"
        return http.build_request(
            call.method, self.settings.base_url + call.path, params=query, headers=headers, timeout=timeout, **body
        )

    def _collect(self, size: int, response: httpx.Response) -> None:
        """Fails when an answer is larger than allowed, at its head already if that says so."""
        if max(size, int(response.headers.get("content-length") or 0)) > self.settings.max_answer_bytes:
            raise MalformedAnswerError(
                f"malformed answer: more than {self.settings.max_answer_bytes} bytes",
                status=response.status_code,
                request_id=response.headers.get("x-request-id"),
            )

    def _report(self, call: Call[Any], attempt: int, start: float, outcome: Answer | KaisatsuError) -> None:
        if self.settings.on_request is not None:
            error = outcome if isinstance(outcome, KaisatsuError) else None
            self.settings.on_request(
                Sent(
                    method=call.method,
                    path=call.path,
                    attempt=attempt,
                    status=outcome.status,
                    duration=time.monotonic() - start,
                    request_id=outcome.request_id,
                    error=error.kind if error else None,
                )
            )

    def _attempt_timeout(self, began: float) -> float:
        return max(0.001, min(self.settings.timeout, began + self.settings.total_timeout - time.monotonic()))

    def _outcome(self, call: Call[T], attempt: int, start: float, answer: Answer) -> T:
        try:
            result = call.result(answer)
        except KaisatsuError as error:
            self._report(call, attempt, start, error)
            raise
        self._report(call, attempt, start, answer)
        return result

    def _next(self, call: Call[Any], error: KaisatsuError, nothing_sent: bool, attempt: int, began: float) -> float:
        """The seconds to wait before the next attempt; raises the error if there is to be none."""
        wait = wait_before_next(
            self.settings,
            error,
            nothing_sent=nothing_sent,
            repeatable=call.repeatable,
            once=call.idempotency_key is not None,
            attempt=attempt,
            elapsed=time.monotonic() - began,
        )
        if wait is None:
            raise error
        return wait


class Transport(_Base):
    """Sends calls and waits for their answers."""

    def __init__(self, settings: Settings, http: httpx.Client | None = None) -> None:
        super().__init__(settings)
        self._owned = http is None
        self._http = http or httpx.Client()

    def close(self) -> None:
        if self._owned:
            self._http.close()

    def send(self, call: Call[T]) -> T:
        began, attempt = time.monotonic(), 0
        while True:
            attempt += 1
            start = time.monotonic()
            try:
                answer = self._attempt(call, self._attempt_timeout(began))
            except NothingSent as mark:
                self._report(call, attempt, start, mark.error)
                wait = self._next(call, mark.error, True, attempt, began)
            except KaisatsuError as error:
                self._report(call, attempt, start, error)
                wait = self._next(call, error, False, attempt, began)
            else:
                try:
                    return self._outcome(call, attempt, start, answer)
                except KaisatsuError as error:
                    wait = self._next(call, error, False, attempt, began)
            time.sleep(wait)

    def _attempt(self, call: Call[Any], timeout: float) -> Answer:
        deadline = time.monotonic() + timeout
        request = self._request(self._http, call, timeout)
        try:
            response = self._http.send(request, stream=True, follow_redirects=False)
            try:
                content = bytearray()
                self._collect(0, response)
                for piece in response.iter_bytes():
                    content += piece
                    self._collect(len(content), response)
                    # httpx limits the time between two bytes; a drip would never end.
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"no whole answer within {timeout:g} s", status=response.status_code)
            finally:
                response.close()
        except httpx.HTTPError as error:
            raise _translated(error, timeout) from error
        return Answer(response.status_code, _lower(response.headers), bytes(content))


class AsyncTransport(_Base):
    """Sends calls without blocking."""

    def __init__(self, settings: Settings, http: httpx.AsyncClient | None = None) -> None:
        super().__init__(settings)
        self._owned = http is None
        self._http = http or httpx.AsyncClient()

    async def close(self) -> None:
        if self._owned:
            await self._http.aclose()

    async def send(self, call: Call[T]) -> T:
        began, attempt = time.monotonic(), 0
        while True:
            attempt += 1
            start = time.monotonic()
            try:
                answer = await self._attempt(call, self._attempt_timeout(began))
            except NothingSent as mark:
                self._report(call, attempt, start, mark.error)
                wait = self._next(call, mark.error, True, attempt, began)
            except KaisatsuError as error:
                self._report(call, attempt, start, error)
                wait = self._next(call, error, False, attempt, began)
            else:
                try:
                    return self._outcome(call, attempt, start, answer)
                except KaisatsuError as error:
                    wait = self._next(call, error, False, attempt, began)
            await asyncio.sleep(wait)

    async def _attempt(self, call: Call[Any], timeout: float) -> Answer:
        request = self._request(self._http, call, timeout)
        try:
            return await asyncio.wait_for(self._read(request), timeout)
        except asyncio.TimeoutError as error:
            raise TimeoutError(f"no whole answer within {timeout:g} s") from error
        except httpx.HTTPError as error:
            raise _translated(error, timeout) from error

    async def _read(self, request: httpx.Request) -> Answer:
        response = await self._http.send(request, stream=True, follow_redirects=False)
        try:
            content = bytearray()
            self._collect(0, response)
            async for piece in response.aiter_bytes():
                content += piece
                self._collect(len(content), response)
        finally:
            await response.aclose()
        return Answer(response.status_code, _lower(response.headers), bytes(content))


def _lower(headers: httpx.Headers) -> Mapping[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def _translated(error: httpx.HTTPError, timeout: float) -> Exception:
    # The words of httpx have no address in them, so no key either.
    if isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout)):
        return NothingSent(TimeoutError(f"no connection within {timeout:g} s"))
    if isinstance(error, httpx.TimeoutException):
        return TimeoutError(f"no whole answer within {timeout:g} s")
    if isinstance(error, httpx.ConnectError):
        return NothingSent(TransportError(f"no connection: {error}"))
    if isinstance(error, httpx.DecodingError):
        return MalformedAnswerError("malformed answer: its compression is broken")
    return TransportError(f"the connection failed: {error}" if str(error) else "the connection failed")
