from __future__ import annotations

import json
from collections.abc import Iterator, Iterable, Mapping

from .._call import Call, Value, once, read_as, read_nothing
from .._transport import Transport
from ..models.data import Collection, CollectionImage, CollectionImagePage, CollectionPage, Item, ItemPage
from ..models.recognition import Site
from ..pictures import Encoded, Picture, encode

_BASE = "/imageRecognition/v1"


class Catalogue:
    """The items that `recognition.recognize` knows. An operator's key is needed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(
        self,
        *,
        category: str | None = None,
        id: str | None = None,
        barcode: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ItemPage:
        """Some of the items."""
        query: dict[str, Value] = {"category": category, "id": id, "barcode": barcode}
        query |= {"cursor": cursor, "limit": limit}
        path = f"{_BASE}/catalogue/items"
        return self._transport.send(Call("GET", path, read_as(ItemPage), query=query, repeatable=True))

    def each(self, *, category: str | None = None, limit: int | None = None) -> Iterator[Item]:
        """All items, read page after page of `limit`."""
        cursor = None
        while True:
            page = self.list(category=category, cursor=cursor, limit=limit)
            for item in page.items:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return

    def add(
        self,
        id: str,
        category: str,
        name: str,
        *,
        barcodes: Iterable[str] = (),
        images: Iterable[Picture] = (),
        image_url: str | None = None,
        url: str | None = None,
        sites: Iterable[Site] = (),
        details: Mapping[str, str] | None = None,
        idempotency_key: str | None = None,
    ) -> Item:
        """Adds an item, or replaces the one of the same id.

        Args:
            id: The operator's own id.
            category: book, cd, dvd, game, software or food.
            name: Its name.
            barcodes: EAN, UPC or ISBN, as printed. An item needs a barcode or a picture.
            images: Its pictures, at most 16.
            image_url: Where people find its picture.
            url: A page about it.
            sites: Pages about it.
            details: Whatever else is to be answered in `detail`, such as maker.
            idempotency_key: See `DataSets.create`.
        """
        pages = [
            {
                name: value
                for name, value in (("url", site.url), ("title", site.title), ("imageUrl", site.image_url))
                if value is not None
            }
            for site in sites
        ]
        form: list[tuple[str, Value | Encoded]] = [("id", id), ("category", category), ("name", name)]
        form += [("imageUrl", image_url), ("url", url)]
        form += [("sites", json.dumps(pages, ensure_ascii=False))] if pages else []
        form += list((details or {}).items())
        form += [("barcode", barcode) for barcode in barcodes]
        form += [("image", encode(image)) for image in images]
        path = f"{_BASE}/catalogue/items"
        key = once(idempotency_key)
        return self._transport.send(Call("POST", path, read_as(Item), form=form, idempotency_key=key))

    def remove(self, *, id: str | None = None, barcode: str | None = None) -> None:
        """Removes the item of an id, or all with a barcode."""
        query = {"id": id, "barcode": barcode}
        self._transport.send(Call("DELETE", f"{_BASE}/catalogue/items", read_nothing, query=query))


class Collections:
    """The public collections that `recognition.similar` searches. An operator's key is needed."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | None = None, limit: int | None = None) -> CollectionPage:
        """Some of the collections."""
        query: dict[str, Value] = {"cursor": cursor, "limit": limit}
        path = f"{_BASE}/similarImage/collections"
        return self._transport.send(Call("GET", path, read_as(CollectionPage), query=query, repeatable=True))

    def each(self, *, limit: int | None = None) -> Iterator[Collection]:
        """All collections, read page after page of `limit`."""
        cursor = None
        while True:
            page = self.list(cursor=cursor, limit=limit)
            for collection in page.collections:
                yield collection
            cursor = page.next_cursor
            if cursor is None:
                return

    def add(
        self,
        collection: str,
        image_id: str,
        image: Picture,
        *,
        tag: str | None = None,
        image_url: str | None = None,
        model_name: str | None = None,
        idempotency_key: str | None = None,
    ) -> Collection:
        """Adds an image to a collection, or replaces the one of the same id. The collection is made if there is none.

        Args:
            collection: The collection.
            image_id: The operator's own id of the image.
            image: The picture. The server keeps only its vector.
            tag: What it is tagged with.
            image_url: Where people find it.
            model_name: The model whose vectors are compared, for a new collection.
            idempotency_key: See `DataSets.create`.
        """
        form = [
            ("collection", collection),
            ("imageId", image_id),
            ("tag", tag),
            ("imageUrl", image_url),
            ("modelName", model_name),
            ("image", encode(image)),
        ]
        path = f"{_BASE}/similarImage/collections"
        key = once(idempotency_key)
        return self._transport.send(Call("POST", path, read_as(Collection), form=form, idempotency_key=key))

    def remove(self, collection: str, *, image_id: str | None = None) -> None:
        """Removes an image, or the whole collection."""
        query = {"collection": collection, "imageId": image_id}
        self._transport.send(Call("DELETE", f"{_BASE}/similarImage/collections", read_nothing, query=query))

    def images(
        self, collection: str, *, cursor: str | None = None, limit: int | None = None
    ) -> CollectionImagePage:
        """Some of the images of a collection."""
        query: dict[str, Value] = {"collection": collection, "cursor": cursor, "limit": limit}
        path = f"{_BASE}/similarImage/collections/images"
        return self._transport.send(Call("GET", path, read_as(CollectionImagePage), query=query, repeatable=True))

    def each_image(self, collection: str, *, limit: int | None = None) -> Iterator[CollectionImage]:
        """All images of a collection, read page after page of `limit`."""
        cursor = None
        while True:
            page = self.images(collection, cursor=cursor, limit=limit)
            for image in page.images:
                yield image
            cursor = page.next_cursor
            if cursor is None:
                return
