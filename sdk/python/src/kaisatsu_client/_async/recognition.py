from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import date, datetime
from typing import Literal
from urllib.parse import quote

from .._call import Call, Value, once, read_as, read_file, read_nothing
from .._transport import AsyncTransport
from ..models.maps import File
from ..models.recognition import (
    Classification,
    Detection,
    Explanation,
    FeedbackTotals,
    ItemRecognition,
    Likenesses,
    Models,
    Tag,
    TagPage,
    TextReading,
)
from ..pictures import Encoded, Picture, encode

_BASE = "/imageRecognition/v1"


class AsyncRecognition:
    """What pictures show, and whether the answer was right."""

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def classify(
        self,
        image: Picture,
        *,
        model_name: str | None = None,
        data_set_id: str | None = None,
        token: str | None = None,
        num_of_candidates: int | None = None,
        language: str | None = None,
        latitude: float | None = None,
        longitude: float | None = None,
        gcs: Literal["wgs84", "tokyo"] | None = None,
    ) -> Classification:
        """Which categories a picture is of.

        Args:
            image: The picture.
            model_name: A model that `models` lists; general if left out.
            data_set_id: A dataset of the user's instead, by its id or the user's own name of it; needs `token`.
            token: The user's token.
            num_of_candidates: At most so many; 5 if left out.
            language: The language of the tags.
            latitude: Where the picture was taken: a hint for models that know places; needs `longitude`.
            longitude: Where the picture was taken.
            gcs: The geodetic system of that place and of the places in the answer.
        """
        form = [
            ("modelName", model_name),
            ("dataSetId", data_set_id),
            ("numOfCandidates", num_of_candidates),
            ("language", language),
            ("image", encode(image)),
        ]
        place = {"lati_d": _degrees(latitude), "longi_d": _degrees(longitude)}
        # The default of the wire is the old Tokyo datum, in which a place from a phone is 400 metres off.
        query: dict[str, Value] = {"token": token, **place, "gcs": gcs or self._transport.settings.gcs}
        path = f"{_BASE}/concept/classify"
        return await self._transport.send(Call("POST", path, read_as(Classification), query=query, form=form))

    async def detect(
        self,
        image: Picture,
        *,
        model_name: str | None = None,
        num_of_candidates: int | None = None,
        min_score: float | None = None,
        accuracy: Literal["normal", "high"] | None = None,
        language: str | None = None,
    ) -> Detection:
        """Where things are in a picture, and what they are.

        Args:
            image: The picture.
            model_name: A model that `models` lists; coco if left out.
            num_of_candidates: At most so many; 50 if left out.
            min_score: The least score.
            accuracy: high finds small things too, and takes longer.
            language: The language of the tags.
        """
        form = [
            ("modelName", model_name),
            ("numOfCandidates", num_of_candidates),
            ("minScore", min_score),
            ("accuracy", accuracy),
            ("language", language),
            ("image", encode(image)),
        ]
        return await self._transport.send(
            Call("POST", f"{_BASE}/objectDetection/detect", read_as(Detection), form=form)
        )

    async def similar(
        self,
        image: Picture | None = None,
        *,
        text: str | None = None,
        collection: str | None = None,
        data_set_id: str | None = None,
        token: str | None = None,
        num_of_candidates: int | None = None,
        min_score: float | None = None,
    ) -> Likenesses:
        """The images of a collection, or of a user's dataset, that are most like a picture.

        Args:
            image: The picture.
            text: Instead of a picture, what the images show, where the model of the collection has a text encoder.
            collection: A public collection.
            data_set_id: A dataset of the user's instead, by its id or the user's own name of it.
            token: The user's token, with a dataset.
            num_of_candidates: At most so many.
            min_score: The least score; 0 shows all.
        """
        form: list[tuple[str, Value | Encoded]] = [
            ("text", text),
            ("collection", collection),
            ("dataSetId", data_set_id),
            ("numOfCandidates", num_of_candidates),
            ("minScore", min_score),
        ]
        form += [] if image is None else [("image", encode(image))]
        path = f"{_BASE}/similarImage/search"
        return await self._transport.send(Call("POST", path, read_as(Likenesses), query={"token": token}, form=form))

    async def recognize(
        self, image: Picture, *, recog: str | None = None, num_of_candidates: int | None = None
    ) -> ItemRecognition:
        """Which item of the catalogue a picture shows.

        Args:
            image: The picture.
            recog: product-all (default), book, cd, dvd, game, software or food.
            num_of_candidates: At most so many; 10 if left out.
        """
        query: dict[str, Value] = {"recog": recog, "numOfCandidates": num_of_candidates}
        body = encode(image).content
        return await self._transport.send(
            Call("POST", f"{_BASE}/recognize", read_as(ItemRecognition), query=query, body=body)
        )

    async def read_text(self, image: Picture, *, language: str | None = None) -> TextReading:
        """The text in a picture, line by line."""
        form = [("language", language), ("image", encode(image))]
        return await self._transport.send(Call("POST", f"{_BASE}/text/read", read_as(TextReading), form=form))

    async def feedback(
        self,
        recognition_id: str,
        is_valid: bool,
        *,
        comment: str | None = None,
        tag: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Says whether the whole result of a recognition was right. The last word counts.

        Args:
            recognition_id: The recognition.
            is_valid: Whether it was right.
            comment: At most 2,000 characters for the operator.
            tag: What the picture really shows: a tag of the model that answered, also one that is no candidate.
            idempotency_key: See `AsyncDataSets.create`.
        """
        query: dict[str, Value] = {"recognitionId": recognition_id, "isValid": is_valid}
        await self._feedback("feedback", query, {"comment": comment, "tag": tag}, idempotency_key)

    async def feedback_to_candidate(
        self,
        recognition_id: str,
        item_id: str,
        is_valid: bool,
        *,
        comment: str | None = None,
        tag: str | None = None,
        idempotency_key: str | None = None,
    ) -> None:
        """Says whether one candidate of a recognition was right. The last word counts.

        Args:
            recognition_id: The recognition.
            item_id: The candidate.
            is_valid: Whether it was right.
            comment: At most 2,000 characters for the operator.
            tag: What the picture really shows: a tag of the model that answered, also one that is no candidate.
            idempotency_key: See `AsyncDataSets.create`.
        """
        query: dict[str, Value] = {"recognitionId": recognition_id, "itemId": item_id, "isValid": is_valid}
        await self._feedback("feedbackToCandidate", query, {"comment": comment, "tag": tag}, idempotency_key)

    async def _feedback(
        self, operation: str, query: dict[str, Value], said: dict[str, str | None], key: str | None
    ) -> None:
        json = {name: value for name, value in said.items() if value is not None}
        path = f"{_BASE}/{operation}"
        await self._transport.send(Call("POST", path, read_nothing, query=query, json=json, idempotency_key=once(key)))

    async def feedback_totals(
        self,
        *,
        model_name: str | None = None,
        since: str | date | None = None,
        until: str | date | None = None,
        interval: Literal["hour", "day"] | None = None,
    ) -> FeedbackTotals:
        """How often candidates were right, over time. `since` and `until` are days, times, or either as text."""
        query: dict[str, Value] = {"modelName": model_name, "interval": interval}
        query |= {"since": _moment(since), "until": _moment(until)}
        path = f"{_BASE}/feedbackTotals"
        return await self._transport.send(Call("GET", path, read_as(FeedbackTotals), query=query, repeatable=True))

    async def explain(self, recognition_id: str) -> Explanation:
        """What feedback did to the candidates of a recognition."""
        query = {"recognitionId": recognition_id}
        return await self._transport.send(
            Call("GET", f"{_BASE}/explain", read_as(Explanation), query=query, repeatable=True)
        )

    async def models(self) -> Models:
        """The models of the server by task."""
        return await self._transport.send(Call("GET", f"{_BASE}/models", read_as(Models), repeatable=True))

    async def model_tags(
        self,
        name: str,
        *,
        language: str | None = None,
        text: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> TagPage:
        """The tags that a model can answer with; with `text`, those that contain it in any language."""
        query: dict[str, Value] = {"language": language, "text": text, "limit": limit, "offset": offset}
        path = f"{_BASE}/models/{quote(name, safe='')}/tags"
        return await self._transport.send(Call("GET", path, read_as(TagPage), query=query, repeatable=True))

    async def each_tag(
        self, name: str, *, language: str | None = None, text: str | None = None, limit: int | None = None
    ) -> AsyncIterator[Tag]:
        """All tags of a model, read page after page of `limit`."""
        offset = 1
        while True:
            page = await self.model_tags(name, language=language, text=text, limit=limit, offset=offset)
            for tag in page.tags:
                yield tag
            offset += len(page.tags)
            if not page.tags or offset > page.max:
                return

    async def thumbnail(
        self, *, collection: str | None = None, image_id: str | None = None, id: str | None = None
    ) -> File:
        """A small picture of an image of a collection, or of an item of the catalogue by its `id`."""
        query = {"collection": collection, "imageId": image_id, "id": id}
        return await self._transport.send(Call("GET", f"{_BASE}/thumbnail", read_file, query=query, repeatable=True))


def _degrees(value: float | None) -> str | None:
    return None if value is None else f"{value:.9f}"


def _moment(value: str | date | None) -> str | None:
    if isinstance(value, datetime):
        if value.tzinfo is None:
            raise ValueError("a time needs a time zone")
        return value.isoformat().replace("+00:00", "Z")
    return value.isoformat() if isinstance(value, date) else value
