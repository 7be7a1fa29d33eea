from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Literal

from .._call import Answer, Call, T, Value, read_file, reading
from .._transport import AsyncTransport
from ..models.maps import (
    Course,
    File,
    ListedMap,
    Point,
    RailMap,
    StationPage,
    courses_of,
    map_of,
    maps_of,
    stations_of,
)

Gcs = Literal["wgs84", "tokyo"]
Language = Literal["ja", "en", "ja-en"]


class AsyncMaps:
    """Route maps, stations and ways between them.

    Coordinates are in WGS 84, the system of satellite navigation, unless `gcs` or the client says "tokyo".
    """

    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def railmap_list(
        self,
        *,
        id: str | None = None,
        station_code: int | None = None,
        station_name: str | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> list[ListedMap]:
        """The maps: all, one by its id, or those that hold a station. The three parameters exclude each other."""
        query: dict[str, Value] = {"id": id, "stationCode": station_code, "stationName": station_name}
        query |= {"gcs": self._gcs(gcs), "language": language}
        return await self._get("railmapList", query, reading(maps_of))

    async def railmap_detail(
        self,
        id: str,
        *,
        station_code: int | None = None,
        station_name: str | None = None,
        x: int | None = None,
        y: int | None = None,
        width: int | None = None,
        height: int | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> RailMap:
        """The stations in a window of a map, or one by its code or name.

        Store the code, not the name: stations are renamed.

        Args:
            id: The map, such as "tokyo".
            station_code: Only this station; excludes the window.
            station_name: Only this station; excludes the window.
            x: Where the window begins.
            y: Where the window begins.
            width: 1 to 500; needs height.
            height: 1 to 500; needs width.
            gcs: The geodetic system of the answer.
            language: The language of the names.
        """
        query: dict[str, Value] = {"id": id, "stationCode": station_code, "stationName": station_name}
        query |= {"x": x, "y": y, "width": width, "height": height, "gcs": self._gcs(gcs)}
        query |= {"language": language}
        return await self._get("railmapDetail", query, reading(map_of))

    async def railmap_data(
        self,
        id: str,
        *,
        x: int | None = None,
        y: int | None = None,
        width: int | None = None,
        height: int | None = None,
        format: Literal["png", "svg", "pdf"] | None = None,
        scale: float | None = None,
        style: Literal["light", "dark"] | None = None,
        language: Language | None = None,
        course: Sequence[int] = (),
        text: bool | None = None,
    ) -> File:
        """The picture of a window of a map.

        Args:
            id: The map.
            x: Where the window begins.
            y: Where the window begins.
            width: 1 to 500; needs height.
            height: 1 to 500; needs width.
            format: png if left out.
            scale: Pixels for a unit of the map.
            style: light if left out.
            language: The language of the names.
            course: The codes of the stations of a way; everything else is dimmed.
            text: Whether an svg has letters as text, which can be searched and copied, instead of outlines.
        """
        query: dict[str, Value] = {"id": id, "x": x, "y": y, "width": width, "height": height}
        query |= {"format": format, "scale": scale, "style": style, "language": language}
        query |= {"course": ",".join(str(code) for code in course) or None, "text": text}
        return await self._get("railmapData", query, read_file)

    async def stations(
        self,
        *,
        code: int | None = None,
        name: str | None = None,
        prefecture_code: int | None = None,
        type: str | None = None,
        id: str | None = None,
        limit: int | None = None,
        offset: int | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> StationPage:
        """Stations of all maps; with `name`, the best first.

        Args:
            code: The one of this code.
            name: The beginning of a name in kanji, kana or romaji, or of a former name, or a part of a line's name.
            prefecture_code: JIS X 0401; 13 is Tokyo.
            type: train, plane, ship, bus, walk or strange.
            id: Only those on this map.
            limit: At most so many, 1 to 100.
            offset: The number of the first one, counted from 1.
            gcs: The geodetic system of the answer.
            language: The language of the names.
        """
        query: dict[str, Value] = {"code": code, "name": name, "prefectureCode": prefecture_code, "type": type}
        query |= {"id": id, "limit": limit, "offset": offset, "gcs": self._gcs(gcs), "language": language}
        return await self._get("station", query, reading(stations_of))

    async def each_station(
        self,
        *,
        name: str | None = None,
        prefecture_code: int | None = None,
        type: str | None = None,
        id: str | None = None,
        limit: int | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> AsyncIterator[Point]:
        """All stations that `stations` finds, read page after page of `limit`."""
        offset = 1
        while True:
            page = await self.stations(
                name=name,
                prefecture_code=prefecture_code,
                type=type,
                id=id,
                limit=limit,
                offset=offset,
                gcs=gcs,
                language=language,
            )
            for point in page.points:
                yield point
            offset += len(page.points)
            if not page.points or offset > page.max:
                return

    async def station_near(
        self,
        latitude: float,
        longitude: float,
        *,
        radius: int | None = None,
        limit: int | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> StationPage:
        """The stations around a place, the nearest first, each with its distance.

        Args:
            latitude: In degrees.
            longitude: In degrees.
            radius: Metres, 1 to 50,000; 1,000 if left out.
            limit: At most so many, 1 to 100.
            gcs: The geodetic system of the place and of the answer.
            language: The language of the names.
        """
        query: dict[str, Value] = {"lati_d": f"{latitude:.9f}", "longi_d": f"{longitude:.9f}", "radius": radius}
        query |= {"limit": limit, "gcs": self._gcs(gcs), "language": language}
        return await self._get("stationNear", query, reading(stations_of))

    async def search_course(
        self,
        from_: str | int,
        to: str | int,
        *,
        via: Sequence[str | int] = (),
        id: str | None = None,
        sort: Literal["time", "transfer"] | None = None,
        answer_count: int | None = None,
        gcs: Gcs | None = None,
        language: Language | None = None,
    ) -> list[Course]:
        """Ways from one station to another, the best first. Times are those of a typical weekday.

        Args:
            from_: A code or a name.
            to: A code or a name.
            via: Up to three stations between.
            id: The map; every map is tried if left out.
            sort: What there should be least of.
            answer_count: At most so many ways, 1 to 5.
            gcs: The geodetic system of the answer.
            language: The language of the names of stations and lines.
        """
        between = ",".join(str(place) for place in via) or None
        query: dict[str, Value] = {"from": str(from_), "to": str(to), "via": between, "id": id, "sort": sort}
        query |= {"answerCount": answer_count, "gcs": self._gcs(gcs), "language": language}
        return await self._get("searchCourse", query, reading(courses_of))

    async def _get(self, operation: str, query: dict[str, Value], read: Callable[[Answer], T]) -> T:
        path = f"/{self._transport.settings.route_service}/v1/{operation}"
        return await self._transport.send(Call("GET", path, read, query=query, repeatable=True))

    def _gcs(self, gcs: Gcs | None) -> Gcs:
        # The default of the wire is the old Tokyo datum, in which a place from a phone is 400 metres off.
        return gcs or self._transport.settings.gcs
