"""Every operation of the OpenAPI document, called once. Both generated clients make these calls.

The names are those of the document. `"$name"` is what an earlier call has saved.
"""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = ROOT / "web" / "openapi" / "api.json"


def picture(name: str) -> bytes:
    return (Path(os.environ["KAISATSU_PICTURES"]) / name).read_bytes()


@dataclass(frozen=True)
class Call:
    """A call: parameters by name, and a body of JSON, of a form, or of bytes."""

    operation: str
    parameters: dict[str, Any] = field(default_factory=dict)
    json: dict[str, Any] | None = None
    form: dict[str, Any] | None = None
    body: bytes | None = None
    key: str = "KAISATSU_KEY"
    status: int = 200
    save: dict[str, str] = field(default_factory=dict)
    """Name to the path of a value in the answer."""


OPERATOR = "KAISATSU_OPERATOR_KEY"
TOKEN = {"token": "$token"}


def calls() -> list[Call]:
    coffee = {"image": picture("coffee.png")}
    window = {"id": "tokyo", "x": 0, "y": 0, "width": 200, "height": 100}
    verdict = {"recognitionId": "$recognition", "isValid": True}
    tagged = [{"imageId": "$first", "tag": "disc"}, {"imageId": "$second", "tag": "checks"}]
    return [
        Call("healthz"),
        Call("readyz"),
        Call("railmapList", {"stationName": "新宿", "gcs": "wgs84"}),
        Call("railmapDetail", {**window, "gcs": "wgs84"}),
        Call("railmapData", {**window, "format": "png"}),
        Call("station", {"name": "新宿", "limit": 2, "type": "train"}),
        Call("stationNear", {"lati_d": 35.69, "longi_d": 139.70, "radius": 500}),
        Call("searchCourse", {"from": "新宿", "to": "上野"}),
        Call("models"),
        Call("modelTags", {"name": "general", "text": "goldfish"}),
        Call(
            "conceptClassify",
            form={**coffee, "numOfCandidates": 2},
            save={"recognition": "recognitionId", "item": "candidates.0.itemId"},
        ),
        # A whole number: the client of openapi-generator cannot put a fraction into a form.
        Call("objectDetectionDetect", form={**coffee, "minScore": 0}),
        Call("textRead", form={"image": picture("page.png"), "language": "en"}),
        Call("recognize", {"recog": "product-all"}, body=picture("barcode.png")),
        Call("feedback", verdict, json={"comment": "yes"}, status=204),
        Call("feedbackToCandidate", {**verdict, "itemId": "$item"}, json={}, status=204),
        Call("feedbackTotals", {"interval": "day"}),
        Call("explain", {"recognitionId": "$recognition"}),
        Call(
            "addItem",
            form={"id": "tea", "category": "food", "name": "緑茶", "barcode": ["4901234567894"]},
            key=OPERATOR,
        ),
        Call("listItems", {"category": "food"}, key=OPERATOR),
        Call("removeItem", {"id": "tea"}, key=OPERATOR, status=204),
        Call("addCollectionImage", form={**coffee, "collection": "cups", "imageId": "1"}, key=OPERATOR),
        Call("listCollections", {"limit": 10}, key=OPERATOR),
        Call("listCollectionImages", {"collection": "cups"}, key=OPERATOR),
        Call("getThumbnail", {"collection": "cups", "imageId": "1"}),
        Call("similarImageSearch", form={**coffee, "collection": "cups", "minScore": 0}),
        Call("removeCollection", {"collection": "cups"}, key=OPERATOR, status=204),
        Call("getToken", json={"userId": "generated"}, save={"token": "token"}),
        Call("uploadImage", TOKEN, form={"image": picture("disc-1.png"), "tag": "disc"}, save={"first": "imageId"}),
        Call(
            "uploadImage",
            {**TOKEN, "Idempotency-Key": "generated"},
            form={"image": picture("checks-1.png"), "name": "checks.png"},
            save={"second": "imageId"},
        ),
        Call("listImages", TOKEN, json={"limit": 10}),
        Call("getImage", {**TOKEN, "imageId": "$first", "size": "thumbnail"}),
        Call("createDataSet", TOKEN, json={"name": "g", "images": tagged}, status=202, save={"set": "dataSetId"}),
        Call("getDataSet", TOKEN, json={"dataSetId": "$set"}),
        Call("getDataSetByQuery", {**TOKEN, "dataSetId": "$set"}),
        Call("listDataSets", TOKEN, json={"limit": 10}),
        # It may still be being built: it can be changed all the same.
        Call("updateDataSet", TOKEN, json={"dataSetId": "$set", "name": "h", "confirm": ["$first"]}, status=202),
        Call("undoDataSet", TOKEN, json={"dataSetId": "$set"}),
        Call("deleteDataSet", TOKEN, json={"dataSetId": "$set"}, status=204),
        Call("deleteImage", TOKEN, json={"imageId": "$first"}, status=204),
    ]


def operations() -> set[str]:
    """The names of all operations of the document."""
    paths = json.loads(DOCUMENT.read_text())["paths"].values()
    return {one["operationId"] for path in paths for one in path.values() if isinstance(one, dict)}


def snake(name: str) -> str:
    """The name of an operation as both generators write it."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def plain(name: str) -> str:
    """A name without what generators change in it: case, underscores, and what keeps it from being a keyword."""
    return name.replace("-", "").replace("_", "").lower().removeprefix("var")


def named(values: dict[str, Any], names: list[str]) -> dict[str, Any]:
    """The values by the names that a generated function gives to its arguments."""
    by_plain = {plain(name): name for name in names}
    return {by_plain[plain(name)]: value for name, value in values.items()}


def filled(value: Any, saved: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        return saved[value[1:]]
    if isinstance(value, list):
        return [filled(inner, saved) for inner in value]
    return {name: filled(inner, saved) for name, inner in value.items()} if isinstance(value, dict) else value


def make_all(client: Any) -> int:
    """Makes all calls with `client.call(call, parameters, json, form)`, which returns status and content."""
    saved: dict[str, Any] = {}
    failed = 0
    for call in calls():
        try:
            status, content = client.call(
                call, *(filled(part, saved) for part in (call.parameters, call.json, call.form))
            )
            wrong = "" if status == call.status else f"status {status}: {content[:300]!r}"
        except Exception as error:  # whatever a generated client fails with
            wrong, content = f"{type(error).__name__}: {error}", b""
        for name, path in call.save.items() if not wrong else ():
            value = json.loads(content)
            for part in path.split("."):
                value = value[int(part)] if isinstance(value, list) else value[part]
            saved[name] = value
        print(f"FAILED {call.operation}: {wrong}" if wrong else f"ok {call.operation}", flush=True)
        failed += bool(wrong)
    left_out = operations() - {call.operation for call in calls()}
    if left_out:
        print(f"FAILED nobody calls {', '.join(sorted(left_out))}")
    print(f"{len(calls()) - failed} passed, {failed + len(left_out)} failed")
    return 1 if failed or left_out else 0
