"""The answers of the operations on users' data, the catalogue and the collections."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .recognition import Site


@dataclass(frozen=True, kw_only=True)
class Part:
    """A part of the server, such as its database."""

    name: str
    state: str
    """ok, off, starting, degraded or failing."""
    message: str | None = None
    """Why, when it is not ok."""


@dataclass(frozen=True, kw_only=True)
class Health:
    """How the server is."""

    status: str
    """ok; of `ready` also degraded, when a part needs attention."""
    version: str
    parts: list[Part] = field(default_factory=list)
    """The parts of the server; of `ready` alone."""


@dataclass(frozen=True, kw_only=True)
class Token:
    """A token for one of the application's users."""

    token: str = field(repr=False)
    expires_at: datetime


@dataclass(frozen=True, kw_only=True)
class UploadedImage:
    """An image that was stored."""

    image_id: str
    sha256: str
    width: int
    height: int
    tag: str | None = None
    """The tag that is kept: of the same bytes uploaded again, the first one stays."""
    name: str | None = None
    """The name that is kept, as the tag is."""


@dataclass(frozen=True, kw_only=True)
class StoredImage:
    """An image of the user's storage area."""

    image_id: str
    name: str
    tag: str
    sha256: str
    bytes: int
    width: int
    height: int
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class ImagePage:
    """Some of the user's images."""

    images: list[StoredImage]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataSetImage:
    """An image of a dataset to be: `image_id` of the storage area, or `url`."""

    tag: str | None = None
    """May be left out for a stored image that has a tag."""
    image_id: str | None = None
    url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Warning:
    """Something that a dataset cannot do."""

    code: str
    message: str


@dataclass(frozen=True, kw_only=True)
class CreatedDataSet:
    """A dataset that is being built."""

    data_set_id: str
    state: str
    warnings: list[Warning] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How many images of a dataset came to what."""

    total: int
    done: int
    pending: int
    fetched: int
    failed: int
    denied: int
    not_an_image: int
    not_found: int
    over_quota: int
    timed_out: int
    too_large: int


@dataclass(frozen=True, kw_only=True)
class DataSetUpdate:
    """A version of a dataset that does not answer yet."""

    state: str
    """queued, building or failed."""
    progress: Progress
    reason: str | None = None
    """Why it failed."""


@dataclass(frozen=True, kw_only=True)
class DataSet:
    """A dataset."""

    data_set_id: str
    name: str
    state: str
    """queued, building, ready or failed."""
    since: datetime
    created_at: datetime
    model: str
    progress: Progress
    health: dict[str, Any] | None = None
    """How good it is, once it is ready."""
    reason: str | None = None
    """Why it failed."""
    warnings: list[Warning] = field(default_factory=list)
    version: int | None = None
    """The number of the version that answers; none for a dataset that was never changed."""
    update: DataSetUpdate | None = None
    """The version that is being built, or that failed."""


@dataclass(frozen=True, kw_only=True)
class ImageOutcome:
    """What became of an image of a dataset."""

    image_id: str
    url: str
    tag: str
    outcome: str
    detail: str
    deleted: bool = False
    """Whether it was deleted from the storage area since. The dataset goes on recognising with it."""
    name: str | None = None
    """The user's name for it in the storage area, such as a file name."""


@dataclass(frozen=True, kw_only=True)
class DataSetDetail(DataSet):
    """A dataset and some of its images."""

    images: list[ImageOutcome]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class DataSetPage:
    """Some of the user's datasets."""

    data_sets: list[DataSet]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Item:
    """An item of the catalogue."""

    id: str
    category: str
    name: str
    barcodes: list[str]
    pictures: int
    image_url: str
    detail: dict[str, Any]
    sites: list[Site]
    thumbnail_url: str | None = None
    """The address of a small picture of it on the server, which takes a key."""


@dataclass(frozen=True, kw_only=True)
class ItemPage:
    """Some items of the catalogue."""

    items: list[Item]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class Collection:
    """A public collection of similar image search."""

    collection: str
    images: int
    model_name: str
    created_at: datetime


@dataclass(frozen=True, kw_only=True)
class CollectionPage:
    """Some of the collections."""

    collections: list[Collection]
    next_cursor: str | None = None


@dataclass(frozen=True, kw_only=True)
class CollectionImage:
    """An image of a collection."""

    image_id: str
    image_url: str
    tag: str
    thumbnail_url: str | None = None
    """The address of a small picture of it on the server, which takes a key."""


@dataclass(frozen=True, kw_only=True)
class CollectionImagePage:
    """Some images of a collection."""

    images: list[CollectionImage]
    next_cursor: str | None = None
