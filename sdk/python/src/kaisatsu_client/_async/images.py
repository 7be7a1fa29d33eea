from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Literal

from .._call import Call, once, read_as, read_file, read_nothing
from .._transport import AsyncTransport
from ..models.data import ImagePage, StoredImage, UploadedImage
from ..models.maps import File
from ..pictures import Picture, encode
from .data_sets import _page

_BASE = "/imageRecognition/v1/userCategory"


class AsyncImages:
    """A user's storage area for images. Every method takes the user's token."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def upload(
        self,
        token: str,
        image: Picture,
        *,
        tag: str | None = None,
        name: str | None = None,
        idempotency_key: str | None = None,
    ) -> UploadedImage:
        """Stores an image.

        Args:
            token: The user's token.
            image: The picture.
            tag: What it shows.
            name: What the user calls it.
            idempotency_key: See `AsyncDataSets.create`.
        """
        form = [("tag", tag), ("name", name), ("image", encode(image))]
        path = f"{_BASE}/uploadImage"
        key = once(idempotency_key)
        return await self._transport.send(
            Call("POST", path, read_as(UploadedImage), query={"token": token}, form=form, idempotency_key=key)
        )

    async def list(self, token: str, *, cursor: str | None = None, limit: int | None = None) -> ImagePage:
        """Some of the user's images."""
        query, json = {"token": token}, _page(cursor, limit)
        return await self._transport.send(
            Call("POST", f"{_BASE}/listImages", read_as(ImagePage), query=query, json=json, repeatable=True)
        )

    async def each(self, token: str, *, limit: int | None = None) -> AsyncIterator[StoredImage]:
        """All of the user's images, read page after page of `limit`."""
        cursor = None
        while True:
            page = await self.list(token, cursor=cursor, limit=limit)
            for image in page.images:
                yield image
            cursor = page.next_cursor
            if cursor is None:
                return

    async def get(self, token: str, image_id: str, *, size: Literal["original", "thumbnail"] | None = None) -> File:
        """An image; thumbnail is a JPEG of at most 256 pixels a side."""
        query = {"token": token, "imageId": image_id, "size": size}
        return await self._transport.send(Call("GET", f"{_BASE}/getImage", read_file, query=query, repeatable=True))

    async def delete(self, token: str, image_id: str) -> None:
        """Takes an image out of the storage area. Datasets that were made of it keep it."""
        query, json = {"token": token}, {"imageId": image_id}
        await self._transport.send(Call("POST", f"{_BASE}/deleteImage", read_nothing, query=query, json=json))
