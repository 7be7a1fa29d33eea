"""The answers of the route map function. The wire has strings for all values; here numbers are numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .._decode import Malformed


@dataclass(frozen=True, kw_only=True)
class Prefecture:
    """A prefecture of Japan."""

    code: int
    """JIS X 0401: 13 is Tokyo."""
    name: str


@dataclass(frozen=True, kw_only=True)
class GeoPoint:
    """A place on earth."""

    latitude: float
    longitude: float
    gcs: str
    """The geodetic system: wgs84 or tokyo."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A shape that stands for a station on a map."""

    shape: str
    """rect (x and y are its top left corner) or circle (x and y are its centre)."""
    x: int
    y: int
    width: int | None = None
    height: int | None = None
    r: int | None = None
    chamfering: bool
    is_text: bool
    """Whether it is the station's name."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """A station, with what the operation knows about it."""

    code: int
    """Never changes, unlike the name."""
    name: str
    yomi: str
    """The reading of the name in kana."""
    type: str
    """train, plane, ship, bus, walk or strange."""
    prefecture: Prefecture | None = None
    """Absent outside of Japan."""
    geo_point: GeoPoint
    marks: list[Mark] | None = None
    """Its shapes; of railmap_list and railmap_detail."""
    maps: list[str] | None = None
    """The ids of the maps that it is on; of stations and station_near."""
    distance: int | None = None
    """Metres from the place; of station_near."""


@dataclass(frozen=True, kw_only=True)
class ListedMap:
    """A map, and a station on it: the one asked for, or the largest."""

    id: str
    name: str
    width: int
    height: int
    points: list[Point]


@dataclass(frozen=True, kw_only=True)
class RailMap:
    """A window of a map, and the stations in it."""

    id: str
    x: int
    y: int
    width: int
    height: int
    points: list[Point]


@dataclass(frozen=True, kw_only=True)
class StationPage:
    """Some of the stations that were found."""

    max: int
    """How many there are in all."""
    offset: int
    """The number of the first one here, counted from 1."""
    points: list[Point]


@dataclass(frozen=True, kw_only=True)
class CourseLine:
    """A ride on one line."""

    name: str
    type: str
    color: str
    """Such as #f15a22."""
    time_on_board: int
    """Minutes."""
    stop_station_count: int
    distance: int
    """In units of 100 metres."""
    stops: list[Point]
    """The stations on the way."""


@dataclass(frozen=True, kw_only=True)
class Course:
    """A way from one station to another. Between n + 1 points there are n lines."""

    time_on_board: int
    """Minutes, as are the other times; of a typical weekday, because there is no timetable."""
    time_walk: int
    time_other: int
    transfer_count: int
    distance: int
    """In units of 100 metres."""
    points: list[Point]
    lines: list[CourseLine]


@dataclass(frozen=True, kw_only=True)
class File:
    """A picture as the server sent it."""

    content: bytes
    content_type: str
    etag: str | None = None


def _get(value: Any, *path: str) -> Any:
    for name in path:
        if not isinstance(value, dict) or name not in value:
            raise Malformed(f"{name} is missing")
        value = value[name]
    return value


def _array(value: Any, *path: str) -> list[Any]:
    found = _get(value, *path)
    if not isinstance(found, list):
        raise Malformed(f"{path[-1]} is not an array")
    return found


def _text(value: Any, *path: str) -> str:
    found = _get(value, *path)
    if not isinstance(found, str):
        raise Malformed(f"{path[-1]} is not a string")
    return found


def _number(value: Any, *path: str) -> int:
    try:
        return int(_text(value, *path))
    except ValueError:
        raise Malformed(f"{path[-1]} is not a number") from None


def _decimal(value: Any, *path: str) -> float:
    try:
        return float(_text(value, *path))
    except ValueError:
        raise Malformed(f"{path[-1]} is not a number") from None


def _optional(value: Any, name: str) -> int | None:
    return _number(value, name) if name in value else None


def _mark(wire: Any) -> Mark:
    return Mark(
        shape=_text(wire, "shape"),
        x=_number(wire, "x"),
        y=_number(wire, "y"),
        width=_optional(wire, "width"),
        height=_optional(wire, "height"),
        r=_optional(wire, "r"),
        chamfering=_text(wire, "chamfering") == "true",
        is_text=_text(wire, "isText") == "true",
    )


def place_of(wire: Any) -> GeoPoint:
    latitude, longitude = _decimal(wire, "lati_d"), _decimal(wire, "longi_d")
    return GeoPoint(latitude=latitude, longitude=longitude, gcs=_text(wire, "gcs"))


def _point(wire: Any) -> Point:
    abroad = _text(wire, "Prefecture", "code") == ""
    return Point(
        code=_number(wire, "Station", "code"),
        name=_text(wire, "Station", "Name"),
        yomi=_text(wire, "Station", "Yomi"),
        type=_text(wire, "Station", "Type"),
        prefecture=None
        if abroad
        else Prefecture(code=_number(wire, "Prefecture", "code"), name=_text(wire, "Prefecture", "Name")),
        geo_point=place_of(_get(wire, "GeoPoint")),
        marks=[_mark(mark) for mark in _array(wire, "MarkCoordinates")] if "MarkCoordinates" in wire else None,
        maps=[_text(map, "id") for map in _array(wire, "RailMap")] if "RailMap" in wire else None,
        distance=_optional(wire, "Distance"),
    )


def _points(wire: Any, name: str = "Point") -> list[Point]:
    return [_point(point) for point in _array(wire, name)]


def maps_of(wire: Any) -> list[ListedMap]:
    return [
        ListedMap(
            id=_text(map, "id"),
            name=_text(map, "Name"),
            width=_number(map, "width"),
            height=_number(map, "height"),
            points=_points(map),
        )
        for map in _array(wire, "ResultSet", "RailMap")
    ]


def map_of(wire: Any) -> RailMap:
    map = _get(wire, "ResultSet", "RailMap")
    x, y, width, height = (_number(map, name) for name in ("x", "y", "width", "height"))
    return RailMap(id=_text(map, "id"), x=x, y=y, width=width, height=height, points=_points(map))


def stations_of(wire: Any) -> StationPage:
    result = _get(wire, "ResultSet")
    return StationPage(max=_number(result, "max"), offset=_number(result, "offset"), points=_points(result))


def courses_of(wire: Any) -> list[Course]:
    return [_course(_get(course, "Route")) for course in _array(wire, "ResultSet", "Course")]


def _course(route: Any) -> Course:
    return Course(
        time_on_board=_number(route, "timeOnBoard"),
        time_walk=_number(route, "timeWalk"),
        time_other=_number(route, "timeOther"),
        transfer_count=_number(route, "transferCount"),
        distance=_number(route, "distance"),
        points=_points(route),
        lines=[
            CourseLine(
                name=_text(line, "Name"),
                type=_text(line, "Type"),
                color=_text(line, "Color"),
                time_on_board=_number(line, "timeOnBoard"),
                stop_station_count=_number(line, "stopStationCount"),
                distance=_number(line, "distance"),
                stops=_points(line, "Stop"),
            )
            for line in _array(route, "Line")
        ],
    )
