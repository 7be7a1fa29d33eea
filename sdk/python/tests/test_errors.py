"""Answers that are failures or malformed, and what must not be seen in them."""

from __future__ import annotations

import json
import logging
from typing import Any

import httpx
import pytest

import kaisatsu_client as sdk
from kaisatsu_client.models.data import Token


def client(answer: httpx.Response | Exception, **options: Any) -> sdk.Kaisatsu:
    def handle(_: httpx.Request) -> httpx.Response:
        if isinstance(answer, Exception):
            raise answer
        return answer

    http = httpx.Client(transport=httpx.MockTransport(handle))
    return sdk.Kaisatsu("http://server", "kst_secret", http=http, **{"attempts": 1} | options)


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, sdk.BadRequestError),
        (401, sdk.UnauthorisedError),
        (403, sdk.ForbiddenError),
        (404, sdk.NotFoundError),
        (405, sdk.BadRequestError),
        (409, sdk.ConflictError),
        (413, sdk.TooLargeError),
        (415, sdk.BadRequestError),
        (429, sdk.RateLimitedError),
        (500, sdk.ServerError),
        (502, sdk.ServerError),
        (503, sdk.UnavailableError),
    ],
)
def test_statuses_are_errors_of_their_own(status: int, kind: type[sdk.ApiError]) -> None:
    body = {"error": {"code": "301", "message": "explain: no such recognition"}}
    with pytest.raises(sdk.KaisatsuError) as raised:
        client(httpx.Response(status, json=body, headers={"X-Request-Id": "q-7"})).recognition.explain("r")
    assert type(raised.value) is kind
    assert (raised.value.code, raised.value.status, raised.value.request_id) == ("301", status, "q-7")
    assert str(raised.value) == f"explain: no such recognition (status {status}, code 301, request q-7)"


def test_failures_of_the_maps_have_another_form() -> None:
    body = {"ResultSet": {"apiVersion": "1", "engineVersion": "1", "Error": {"code": "W404", "Message": "no map"}}}
    with pytest.raises(sdk.NotFoundError, match="no map") as raised:
        client(httpx.Response(404, json=body)).maps.railmap_detail("atlantis")
    assert raised.value.code == "W404"


@pytest.mark.parametrize("body", [b"", b"<html>", b"[]", b'{"error":3}', b'{"ResultSet":[]}', b"\xff"])
def test_a_failure_of_something_between_has_its_status(body: bytes) -> None:
    with pytest.raises(sdk.ServerError) as raised:
        client(httpx.Response(502, content=body)).recognition.models()
    assert (raised.value.status, raised.value.code) == (502, None)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"<html>",
        b"[]",
        b"[" * 100_000,
        b'{"status":"ok"}',
        b'{"status":"ok","version":1}',
        b'{"status":"ok","version":null}',
        b'{"status":"\xff","version":"1"}',
    ],
)
def test_other_answers_are_malformed(content: bytes) -> None:
    with pytest.raises(sdk.MalformedAnswerError):
        client(httpx.Response(200, content=content)).health()


@pytest.mark.parametrize("field", ["code", "Name"])
def test_a_map_with_a_field_less_is_malformed(field: str) -> None:
    station = {"code": "1", "Name": "A", "Yomi": "", "Type": "train"}
    geo = {"gcs": "wgs84", "lati_d": "35.5", "longi_d": "139.5", "lati": "", "longi": ""}
    point = {"Station": station, "Prefecture": {"code": "", "Name": ""}, "GeoPoint": geo}
    body = {"ResultSet": {"max": "1", "offset": "1", "Point": [point]}}
    assert client(httpx.Response(200, json=body)).maps.stations().points[0].geo_point.latitude == 35.5
    del station[field]
    with pytest.raises(sdk.MalformedAnswerError, match=field):
        client(httpx.Response(200, json=body)).maps.stations()


def test_an_answer_may_be_as_large_as_the_limit_and_no_larger() -> None:
    content = json.dumps({"status": "ok", "version": "1"}).encode()
    assert client(httpx.Response(200, content=content), max_answer_bytes=len(content)).health().status == "ok"
    with pytest.raises(sdk.MalformedAnswerError):
        client(httpx.Response(200, content=content), max_answer_bytes=len(content) - 1).health()


def chain(error: BaseException | None) -> list[str]:
    """An error and what it was caused by."""
    return [] if error is None else [str(error), repr(error), *chain(error.__cause__), *chain(error.__context__)]


@pytest.mark.parametrize("key_in", ["header", "query"])
def test_no_secret_is_logged_or_in_an_error(caplog: pytest.LogCaptureFixture, key_in: str) -> None:
    caplog.set_level(logging.DEBUG)
    client(httpx.Response(200, json={"images": []}), key_in=key_in).images.list("kut_hidden")
    kaisatsu = client(httpx.ReadError("cut"), key_in=key_in)
    with pytest.raises(sdk.TransportError) as raised:
        kaisatsu.images.list("kut_hidden")
    written = caplog.text + repr(chain(raised.value)) + repr(vars(kaisatsu._transport))
    assert "listImages" in caplog.text
    assert "secret" not in written
    assert "hidden" not in written


def test_a_token_is_not_printed() -> None:
    body = {"token": "kut_hidden", "expiresAt": "2026-12-18T02:08:38Z"}
    token = client(httpx.Response(200, json=body)).datasets.get_token("alice")
    assert token.token == "kut_hidden"
    assert token.expires_at.year == 2026
    assert isinstance(token, Token)
    assert "hidden" not in repr(token)


def test_settings_are_checked() -> None:
    with pytest.raises(ValueError, match="http://"):
        sdk.Kaisatsu("server", "key")
    with pytest.raises(ValueError, match="attempts"):
        sdk.Kaisatsu("http://server", "key", attempts=0)
