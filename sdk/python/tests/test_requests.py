"""What is sent: keys, pictures, forms; and that no operation is forgotten."""

from __future__ import annotations

import io
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx
import numpy
import pytest
from PIL import Image

import kaisatsu_client as sdk
from kaisatsu_client.models.maps import GeoPoint
from kaisatsu_client.pictures import Picture, encode

HERE = Path(__file__).resolve().parent
SDK = HERE.parent.parent
CLASSIFIED = {"recognitionId": "r", "jobId": "r", "candidates": []}


def sent_by(call: Any, answer: Any = CLASSIFIED, **options: Any) -> httpx.Request:
    requests: list[httpx.Request] = []

    def handle(request: httpx.Request) -> httpx.Response:
        requests.append(request)
        return httpx.Response(200, json=answer)

    http = httpx.Client(transport=httpx.MockTransport(handle))
    call(sdk.Kaisatsu("http://server/", "kst_key", http=http, **options))
    return requests[0]


def test_the_key_is_in_a_header_unless_the_query_is_asked_for() -> None:
    request = sent_by(lambda kaisatsu: kaisatsu.recognition.classify(b"x"))
    assert request.headers["x-api-key"] == "kst_key"
    assert "APIKEY" not in str(request.url)
    request = sent_by(lambda kaisatsu: kaisatsu.recognition.classify(b"x"), key_in="query")
    assert request.url.params["APIKEY"] == "kst_key"
    assert "x-api-key" not in request.headers


def test_health_needs_no_key() -> None:
    request = sent_by(lambda kaisatsu: kaisatsu.health(), {"status": "ok", "version": "1"})
    assert "x-api-key" not in request.headers
    assert re.fullmatch(r"kaisatsu-sdk-python/\d+\.\d+\.\d+", request.headers["user-agent"])


def test_absent_arguments_are_not_sent() -> None:
    page = {"ResultSet": {"max": "0", "offset": "1", "Point": []}}
    request = sent_by(lambda kaisatsu: kaisatsu.maps.stations(name="新宿"), page)
    assert dict(request.url.params) == {"name": "新宿", "gcs": "wgs84"}
    request = sent_by(lambda kaisatsu: kaisatsu.maps.station_near(1e-7, 139.7), page, gcs="tokyo")
    assert dict(request.url.params) == {"lati_d": "0.000000100", "longi_d": "139.700000000", "gcs": "tokyo"}


def test_a_form_without_a_picture_is_multipart_too() -> None:
    item = {"id": "a", "category": "food", "name": "茶", "barcodes": [], "pictures": 0, "imageUrl": ""}
    item |= {"detail": {}, "sites": []}
    request = sent_by(
        lambda kaisatsu: kaisatsu.catalogue.add("a", "food", "茶", barcodes=["1", "2"], details={"maker": "b"}), item
    )
    assert request.headers["content-type"].startswith("multipart/form-data")
    body = request.read().decode()
    assert body.count('name="barcode"') == 2
    assert "茶" in body
    assert 'name="maker"' in body


def test_feedback_can_say_what_it_really_is() -> None:
    request = sent_by(lambda kaisatsu: kaisatsu.recognition.feedback("r", True, tag="latte"), None)
    assert json.loads(request.read()) == {"tag": "latte"}
    assert dict(request.url.params) == {"recognitionId": "r", "isValid": "true"}
    request = sent_by(
        lambda kaisatsu: kaisatsu.recognition.feedback_to_candidate("r", "i", False, comment="no", tag="latte"), None
    )
    assert json.loads(request.read()) == {"comment": "no", "tag": "latte"}
    assert json.loads(sent_by(lambda kaisatsu: kaisatsu.recognition.feedback("r", True), None).read()) == {}


def test_the_place_of_a_picture_is_in_degrees() -> None:
    place = {"lati": "35.39.31.0", "longi": "139.44.43.0", "lati_d": "35.65861", "longi_d": "139.74543", "gcs": "wgs84"}
    sight = {"tag": "東京塔", "tagId": "t", "score": 0.9, "itemId": "i", "GeoPoint": place, "sites": [{"title": "T"}]}
    found = []
    request = sent_by(
        lambda kaisatsu: found.append(kaisatsu.recognition.classify(b"x", latitude=35.6586, longitude=139.7454)),
        CLASSIFIED | {"candidates": [sight, sight | {"GeoPoint": None}]},
    )
    assert dict(request.url.params) == {"lati_d": "35.658600000", "longi_d": "139.745400000", "gcs": "wgs84"}
    first, second = found[0].candidates
    assert first.geo_point == GeoPoint(latitude=35.65861, longitude=139.74543, gcs="wgs84")
    assert first.sites == [sdk.Site(title="T")]
    assert second.geo_point is None


def test_a_dataset_of_the_storage_area_names_no_images() -> None:
    created = {"dataSetId": "d", "state": "queued"}
    request = sent_by(lambda kaisatsu: kaisatsu.datasets.create("t", "cups", from_="storage"), created)
    assert json.loads(request.read()) == {"name": "cups", "from": "storage"}


def picture_file() -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (4, 3), (200, 30, 40)).save(stream, format="PNG")
    return stream.getvalue()


def pictures(folder: Path) -> list[Picture]:
    content = picture_file()
    path = folder / "絵.png"
    path.write_bytes(content)
    array = numpy.full((3, 4, 3), (200, 30, 40), numpy.uint8)
    decoded = Image.open(io.BytesIO(content))
    return [content, bytearray(content), memoryview(content), path, str(path), io.BytesIO(content), decoded, array]


def test_pictures_of_every_kind_are_the_same_picture(tmp_path: Path) -> None:
    for picture in pictures(tmp_path):
        image = Image.open(io.BytesIO(encode(picture).content))
        assert image.size == (4, 3)
        assert image.convert("RGB").getpixel((1, 1)) == (200, 30, 40)
    assert encode(tmp_path / "絵.png").name == "絵.png"
    with (tmp_path / "絵.png").open("rb") as file:
        assert encode(file).name == "絵.png"


@pytest.mark.parametrize(("channels", "mode"), [(0, "L"), (1, "L"), (3, "RGB"), (4, "RGBA")])
def test_arrays_keep_every_pixel(channels: int, mode: str) -> None:
    shape = (5, 7, channels) if channels else (5, 7)
    array = numpy.random.default_rng(1).integers(0, 256, shape, numpy.uint8)[:, ::-1]
    image = Image.open(io.BytesIO(encode(array).content))
    assert image.mode == mode
    assert (numpy.asarray(image).reshape(shape) == array).all()


def test_large_pictures_are_sent_as_jpeg() -> None:
    assert encode(numpy.zeros((1000, 1000, 3), numpy.uint8)).content.startswith(b"\xff\xd8")
    assert encode(Image.new("RGB", (1000, 1000))).content.startswith(b"\xff\xd8")
    assert encode(Image.new("RGBA", (1000, 1000))).content.startswith(b"\x89PNG")


@pytest.mark.parametrize(
    "wrong", [numpy.zeros((3, 3)), numpy.zeros((3, 3, 2), numpy.uint8), numpy.zeros((0, 3), numpy.uint8)]
)
def test_arrays_that_are_no_pictures_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="no picture"):
        encode(wrong)


def test_other_things_are_refused() -> None:
    with pytest.raises(TypeError, match="int"):
        encode(3)  # type: ignore[arg-type]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def test_every_operation_of_the_document_is_offered() -> None:
    operations = json.loads((SDK / "cases" / "operations.json").read_text())
    document = json.loads((SDK.parent / "web" / "openapi" / "api.json").read_text())
    described = {operation["operationId"] for path in document["paths"].values() for operation in path.values()}
    assert {operation["operationId"] for operation in operations} == described
    for client in (sdk.Kaisatsu("http://server"), sdk.AsyncKaisatsu("http://server")):
        for operation in operations:
            group = getattr(client, operation["group"]) if operation["group"] else client
            for name in filter(None, (operation["name"], operation.get("each"))):
                assert callable(getattr(group, snake(name)))


def test_every_operation_is_in_the_story() -> None:
    operations = json.loads((SDK / "cases" / "operations.json").read_text())
    told = {step["call"] for step in json.loads((SDK / "cases" / "story.json").read_text())}
    names = {f"{operation['group']}.{operation['name']}".lstrip(".") for operation in operations}
    assert names <= told


def test_the_version_is_that_of_all_clients() -> None:
    assert sdk.__version__ == (SDK / "VERSION").read_text().strip()


def test_the_blocking_client_is_up_to_date() -> None:
    subprocess.run([sys.executable, HERE.parent / "scripts" / "make_sync.py", "--check"], check=True)
