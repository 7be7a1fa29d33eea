from __future__ import annotations

import time
from collections.abc import Iterator, Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Literal

from .._call import Call, once, read_as, read_nothing
from .._decode import camel
from .._transport import Transport
from ..errors import DataSetFailedError, TimeoutError
from ..models.data import CreatedDataSet, DataSet, DataSetDetail, DataSetImage, DataSetPage, Token

_BASE = "/imageRecognition/v1/userCategory"


class DataSets:
    """Users' own categories: datasets that are taught by examples.

    Every method but `get_token` takes the user's token. Wherever a `data_set_id` is asked for, the user's own name of
    the dataset is taken too, as long as no other dataset of the user has it.
    """

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def get_token(self, user_id: str) -> Token:
        """A token for one of the application's users.

        This is for servers. A key that may make tokens can read and delete the data of every user, so it must not be
        part of an app: let your server call this, and give the token and a restricted key to the app.

        Args:
            user_id: The application's own name for the user.
        """
        json = {"userId": user_id}
        return self._transport.send(Call("POST", f"{_BASE}/getToken", read_as(Token), json=json))

    def create(
        self,
        token: str,
        name: str,
        images: Iterable[DataSetImage] = (),
        *,
        from_: Literal["storage"] | None = None,
        idempotency_key: str | None = None,
    ) -> CreatedDataSet:
        """Begins to build a dataset; `wait_until_ready` waits for it.

        Args:
            token: The user's token.
            name: What the user calls it.
            images: What it is made of.
            from_: Instead of images, "storage": all images of the user's storage area that have a tag. The name must
                then be one that no other dataset of the user has.
            idempotency_key: A text that is used for no other request. The server does the work of the same request
                with the same key once within a day. Without it every call has a random one.
        """
        json: dict[str, Any] = {"name": name}
        json |= {"images": _images(images)} if from_ is None else {"from": from_}
        query = {"token": token}
        return self._transport.send(
            Call(
                "POST",
                f"{_BASE}/createDataSet",
                read_as(CreatedDataSet),
                query=query,
                json=json,
                idempotency_key=once(idempotency_key),
            )
        )

    def get(
        self, token: str, data_set_id: str, *, cursor: str | None = None, limit: int | None = None
    ) -> DataSetDetail:
        """How far a dataset is, what became of its images, and how good it is."""
        json = {"dataSetId": data_set_id} | _page(cursor, limit)
        query = {"token": token}
        return self._transport.send(
            Call("POST", f"{_BASE}/getDataSet", read_as(DataSetDetail), query=query, json=json, repeatable=True)
        )

    def list(self, token: str, *, cursor: str | None = None, limit: int | None = None) -> DataSetPage:
        """Some of the user's datasets."""
        query, json = {"token": token}, _page(cursor, limit)
        return self._transport.send(
            Call("POST", f"{_BASE}/listDataSets", read_as(DataSetPage), query=query, json=json, repeatable=True)
        )

    def each(self, token: str, *, limit: int | None = None) -> Iterator[DataSet]:
        """All of the user's datasets, read page after page of `limit`."""
        cursor = None
        while True:
            page = self.list(token, cursor=cursor, limit=limit)
            for data_set in page.data_sets:
                yield data_set
            cursor = page.next_cursor
            if cursor is None:
                return

    def update(
        self,
        token: str,
        data_set_id: str,
        *,
        name: str | None = None,
        add: Iterable[DataSetImage] = (),
        remove: Iterable[str] = (),
        retag: Mapping[str, str] | None = None,
        rename_tags: Mapping[str, str] | None = None,
        confirm: Iterable[str] = (),
    ) -> DataSet:
        """Changes a dataset. What is left out stays as it is.

        If its images change, a new version is built in the background, and the dataset answers as before until that is
        ready; `DataSet.update` says how far it is.

        Args:
            token: The user's token.
            data_set_id: The dataset.
            name: What the user calls it from now on.
            add: Images to add.
            remove: The ids of images to remove.
            retag: The new tags of images, by the ids of the images.
            rename_tags: The new names of tags, by the old ones, which are renamed one after the other. A tag that
                exists already takes the images in, so that two tags can be merged.
            confirm: The ids of images whose tag is right: the health report does not list them as mislabelled any more.
        """
        changes = {
            "name": name,
            "add": _images(add),
            "remove": [*remove],
            "retag": [{"imageId": image_id, "tag": tag} for image_id, tag in (retag or {}).items()],
            "renameTags": [{"from": old, "to": new} for old, new in (rename_tags or {}).items()],
            "confirm": [*confirm],
        }
        json = {"dataSetId": data_set_id} | {
            field: value for field, value in changes.items() if value not in (None, [])
        }
        query = {"token": token}
        return self._transport.send(
            Call("POST", f"{_BASE}/updateDataSet", read_as(DataSet), query=query, json=json)
        )

    def undo(self, token: str, data_set_id: str) -> DataSet:
        """Takes the last change of a dataset back.

        A version that is being built is dropped; otherwise the version before answers again. The name stays.
        """
        query, json = {"token": token}, {"dataSetId": data_set_id}
        return self._transport.send(
            Call("POST", f"{_BASE}/undoDataSet", read_as(DataSet), query=query, json=json)
        )

    def delete(self, token: str, data_set_id: str) -> None:
        """Deletes a dataset. The images of the storage area stay."""
        query, json = {"token": token}, {"dataSetId": data_set_id}
        self._transport.send(Call("POST", f"{_BASE}/deleteDataSet", read_nothing, query=query, json=json))

    def wait_until_ready(
        self,
        token: str,
        data_set_id: str,
        *,
        on_progress: Callable[[DataSet], None] | None = None,
        timeout: float = 600.0,
    ) -> DataSet:
        """Waits until a dataset is ready.

        Args:
            token: The user's token.
            data_set_id: The dataset.
            on_progress: Called with the dataset whenever its state or progress has changed.
            timeout: The most seconds to wait.

        Raises:
            DataSetFailedError: It could not be built.
            TimeoutError: It is not ready yet. It is still being built.
        """
        end, wait, last = time.monotonic() + timeout, 0.2, None
        while True:
            data_set: DataSet = self.get(token, data_set_id, limit=1)
            if on_progress is not None and (data_set.state, data_set.progress) != last:
                on_progress(data_set)
            last = (data_set.state, data_set.progress)
            if data_set.state == "ready":
                return data_set
            if data_set.state == "failed":
                raise DataSetFailedError(data_set.data_set_id, data_set.reason)
            if time.monotonic() + wait > end:
                raise TimeoutError(f"dataset {data_set_id} is not ready after {timeout:g} s")
            time.sleep(wait)
            wait = min(wait * 1.5, 5.0)


def _images(images: Iterable[DataSetImage]) -> list[dict[str, str]]:
    return [{camel(field): value for field, value in asdict(image).items() if value is not None} for image in images]


def _page(cursor: str | None, limit: int | None) -> dict[str, str | int]:
    return {name: value for name, value in (("cursor", cursor), ("limit", limit)) if value is not None}
