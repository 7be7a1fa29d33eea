"""The answers of the image recognition function."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from .maps import GeoPoint, place_of


@dataclass(frozen=True, kw_only=True)
class Corner:
    """A corner in pixels of the picture as sent."""

    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class TagCandidate:
    """A category that the picture may be of."""

    tag: str
    score: float
    """0 to 1."""
    item_id: str
    """What feedback_to_candidate refers to."""
    tag_id: str | None = None
    """What identifies the category: two can share a name."""
    geo_point: GeoPoint | None = field(default=None, metadata={"wire": ("GeoPoint", place_of)})
    """Where it is, if it is a single thing whose place is known, such as a sight."""
    sites: list[Site] = field(default_factory=list)
    """Pages about it, of a model that knows single things."""


@dataclass(frozen=True, kw_only=True)
class Classification:
    """The categories of a picture, best first."""

    recognition_id: str
    job_id: str
    candidates: list[TagCandidate]


@dataclass(frozen=True, kw_only=True)
class ThingCandidate:
    """A thing in the picture, and its box in pixels of the picture as sent."""

    tag: str
    score: float
    item_id: str
    tag_id: str | None = None
    x_min: float
    y_min: float
    x_max: float
    y_max: float


@dataclass(frozen=True, kw_only=True)
class Detection:
    """The things in a picture, best first."""

    recognition_id: str
    job_id: str
    width: int
    height: int
    candidates: list[ThingCandidate]


@dataclass(frozen=True, kw_only=True)
class LikenessCandidate:
    """An image that is like the picture."""

    image_id: str
    image_url: str
    tag: str
    score: float
    item_id: str
    thumbnail_url: str | None = None
    """The address of a small picture of it on the server, which takes a key."""


@dataclass(frozen=True, kw_only=True)
class Likenesses:
    """Images that are like a picture, most similar first."""

    recognition_id: str
    job_id: str
    candidates: list[LikenessCandidate]


@dataclass(frozen=True, kw_only=True)
class Site:
    """A page about an item."""

    url: str | None = None
    title: str | None = None
    image_url: str | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What an item was recognised by, and where."""

    kind: str
    barcode: str | None = None
    inliers: int | None = None
    matched_text: str | None = None
    reference_picture: int | None = None
    x_min: float
    y_min: float
    x_max: float
    y_max: float


@dataclass(frozen=True, kw_only=True)
class ItemCandidate:
    """An item of the catalogue that the picture may show."""

    score: float
    item_id: str
    category: str
    image_url: str
    detail: dict[str, Any]
    """`itemName`, and whatever the catalogue knows."""
    sites: list[Site]
    evidence: Evidence | None = None
    corners: list[Corner] = field(default_factory=list)
    thumbnail_url: str | None = None
    """The address of a small picture of it on the server, which takes a key."""


@dataclass(frozen=True, kw_only=True)
class ItemRecognition:
    """The items that a picture shows, best first."""

    recognition_id: str
    candidates: list[ItemCandidate]


@dataclass(frozen=True, kw_only=True)
class LineCandidate:
    """A line of text."""

    text: str
    score: float
    item_id: str
    corners: list[Corner]
    vertical: bool


@dataclass(frozen=True, kw_only=True)
class TextReading:
    """The text in a picture, in reading order."""

    recognition_id: str
    width: int
    height: int
    candidates: list[LineCandidate]


@dataclass(frozen=True, kw_only=True)
class Total:
    """The verdicts on one candidate in one stretch of time."""

    task: str
    model: str
    subject: str
    from_: datetime
    valid: int
    invalid: int
    precision: float


@dataclass(frozen=True, kw_only=True)
class FeedbackTotals:
    """How often candidates were right."""

    totals: list[Total]


@dataclass(frozen=True, kw_only=True)
class MovedBy:
    """A verdict that moved a candidate."""

    is_valid: bool
    by: float
    item_id: str | None = None
    recognition_id: str | None = None


@dataclass(frozen=True, kw_only=True)
class ExplainedCandidate:
    """A candidate, and what feedback did to it."""

    item_id: str
    name: str
    subject: str
    score: float
    base_score: float
    moved_by: list[MovedBy]


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """A recognition, and what moved its scores."""

    task: str
    model: str
    recognised_at: datetime
    candidates: list[ExplainedCandidate]


@dataclass(frozen=True, kw_only=True)
class InputSize:
    """The size to which a model scales pictures."""

    width: int
    height: int


@dataclass(frozen=True, kw_only=True)
class Model:
    """A model of the server."""

    name: str
    title: str
    licence: str
    source: str
    usable: bool
    loaded: bool
    description: str | None = None
    languages: list[str] = field(default_factory=list)
    tags: int | None = None
    input: InputSize | None = None
    text: bool = False
    """Whether it has a text encoder: similar images can be searched for by a text with its vectors."""


@dataclass(frozen=True, kw_only=True)
class TaskModels:
    """The models of one task."""

    task: str
    models: list[Model]


@dataclass(frozen=True, kw_only=True)
class Models:
    """The models of the server by task."""

    tasks: list[TaskModels]


@dataclass(frozen=True, kw_only=True)
class Tag:
    """A tag that a model can answer with."""

    tag_id: str
    tag: str
    names: dict[str, str]
    """By language."""


@dataclass(frozen=True, kw_only=True)
class TagPage:
    """Some of the tags of a model."""

    max: int
    offset: int
    tags: list[Tag]
