"""What can go wrong. Every error is a `KaisatsuError`; the subclasses follow the codes of the server."""

from __future__ import annotations

from typing import ClassVar


class KaisatsuError(Exception):
    """The base of all errors of this package.

    None of its fields, and no message, contains a key or a token.
    """

    kind: ClassVar[str] = "error"
    """The name of the error, the same in the clients of all languages."""

    message: str
    """What went wrong, in the server's words where it answered."""
    status: int | None
    """The HTTP status, if there was an answer."""
    code: str | None
    """The code of the server: "W404" of a route map, "301" of image recognition."""
    request_id: str | None
    """What the operator of the server finds the request by in the log."""
    retry_after: float | None
    """After how many seconds it makes sense to try again, where the server says so."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.retry_after = retry_after

    def __str__(self) -> str:
        parts = [("status", self.status), ("code", self.code), ("request", self.request_id)]
        known = ", ".join(f"{name} {value}" for name, value in parts if value is not None)
        return f"{self.message} ({known})" if known else self.message


class ApiError(KaisatsuError):
    """The server answered with a failure."""


class BadRequestError(ApiError):
    """A parameter, a picture or the body is invalid (400, 405, 415)."""

    kind = "badRequest"


class UnauthorisedError(ApiError):
    """The key (code 116, W401) or the user's token (code 117) is missing, unknown or expired."""

    kind = "unauthorised"


class ForbiddenError(ApiError):
    """The key is disabled, or its scope does not allow this."""

    kind = "forbidden"


class NotFoundError(ApiError):
    """There is no such map, station, recognition, image or dataset."""

    kind = "notFound"


class TooLargeError(ApiError):
    """The picture has too many bytes or pixels."""

    kind = "tooLarge"


class RetryableError(ApiError):
    """Trying again later makes sense; `retry_after` says when, where the server says so."""


class ConflictError(RetryableError):
    """The dataset is still being built, or an `idempotency_key` was used for another request.

    `datasets.wait_until_ready` waits for a dataset.
    """

    kind = "conflict"


class RateLimitedError(RetryableError):
    """The rate limit or the day's quota is used up (429)."""

    kind = "rateLimited"


class UnavailableError(RetryableError):
    """The server is not ready or overloaded (503)."""

    kind = "unavailable"


class ServerError(ApiError):
    """A failure of the server (500)."""

    kind = "serverError"


class TransportError(KaisatsuError):
    """There was no connection, or it was cut."""

    kind = "transport"


class TimeoutError(KaisatsuError):
    """An attempt took longer than `timeout`, or the call longer than `total_timeout`."""

    kind = "timeout"


class MalformedAnswerError(KaisatsuError):
    """The answer is too large, not UTF-8, not JSON, or lacks a field: it is probably not from Kaisatsu."""

    kind = "malformedAnswer"


class DataSetFailedError(KaisatsuError):
    """The dataset that was waited for could not be built."""

    kind = "dataSetFailed"

    data_set_id: str
    """The dataset."""
    reason: str | None
    """Why, in the server's words."""

    def __init__(self, data_set_id: str, reason: str | None) -> None:
        super().__init__(f"dataset {data_set_id} could not be built: {reason or 'the server does not say why'}")
        self.data_set_id = data_set_id
        self.reason = reason


_BY_STATUS: dict[int, type[ApiError]] = {
    401: UnauthorisedError,
    403: ForbiddenError,
    404: NotFoundError,
    409: ConflictError,
    413: TooLargeError,
    429: RateLimitedError,
    503: UnavailableError,
}


def error_of(
    status: int, code: str | None, message: str, request_id: str | None, retry_after: float | None
) -> ApiError:
    """The error of an answer."""
    kind = _BY_STATUS.get(status, ServerError if status >= 500 else BadRequestError)
    return kind(message, status=status, code=code, request_id=request_id, retry_after=retry_after)
