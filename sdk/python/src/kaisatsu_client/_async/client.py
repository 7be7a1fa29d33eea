from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Literal

import httpx

from .._call import Call, read_as
from .._settings import Sent, Settings
from .._transport import AsyncTransport
from ..models.data import Health
from .data_sets import AsyncDataSets
from .images import AsyncImages
from .maps import AsyncMaps
from .operator import AsyncCatalogue, AsyncCollections
from .recognition import AsyncRecognition


class AsyncKaisatsu:
    """A client of Kaisatsu.

    It keeps connections open: make one and use it for all calls, in all threads or tasks, and close it in the end, for
    example by `async with`.
    """

    maps: AsyncMaps
    recognition: AsyncRecognition
    datasets: AsyncDataSets
    images: AsyncImages
    catalogue: AsyncCatalogue
    collections: AsyncCollections

    def __init__(
        self,
        base_url: str,
        key: str | None = None,
        *,
        key_in: Literal["header", "query"] = "header",
        timeout: float = 30.0,
        total_timeout: float = 120.0,
        attempts: int = 3,
        max_answer_bytes: int = 64 * 1024 * 1024,
        gcs: Literal["wgs84", "tokyo"] = "wgs84",
        route_service: str = "route_service",
        on_request: Callable[[Sent], None] | None = None,
        http: httpx.AsyncClient | None = None,
    ) -> None:
        """Makes a client. Nothing is sent yet.

        Args:
            base_url: The address of the server, such as "https://kaisatsu.example.org".
            key: The application's key.
            key_in: Where the key is sent. Query strings end up in logs; the query is for servers that take no header.
            timeout: The most seconds of one attempt.
            total_timeout: The most seconds of a call, with all attempts and the waiting between.
            attempts: The most requests of one call. What is not idempotent is sent again only if the server cannot
                have begun with it.
            max_answer_bytes: The largest answer.
            gcs: The geodetic system of coordinates, unless a call says otherwise.
            route_service: The first segment of the paths of the maps, if the operator has changed it.
            on_request: Called after every request, for logs and metrics. What it gets has no key or token in it.
            http: An httpx client with settings of its own, such as certificates or proxies. It is not closed by this
                client. Without it, the proxy settings of the environment are used.
        """
        settings = Settings(
            base_url=base_url.rstrip("/"),
            key=key,
            key_in=key_in,
            timeout=timeout,
            total_timeout=total_timeout,
            attempts=attempts,
            max_answer_bytes=max_answer_bytes,
            gcs=gcs,
            route_service=route_service,
            on_request=on_request,
        )
        self._transport = AsyncTransport(settings, http)
        self.maps = AsyncMaps(self._transport)
        self.recognition = AsyncRecognition(self._transport)
        self.datasets = AsyncDataSets(self._transport)
        self.images = AsyncImages(self._transport)
        self.catalogue = AsyncCatalogue(self._transport)
        self.collections = AsyncCollections(self._transport)

    async def health(self) -> Health:
        """Whether the server lives. No key is sent."""
        return await self._transport.send(Call("GET", "/healthz", read_as(Health), repeatable=True, has_key=False))

    async def ready(self) -> Health:
        """Whether the server can do work; `UnavailableError` while it starts. No key is sent."""
        return await self._transport.send(Call("GET", "/readyz", read_as(Health), repeatable=True, has_key=False))

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def __aenter__(self) -> AsyncKaisatsu:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()
