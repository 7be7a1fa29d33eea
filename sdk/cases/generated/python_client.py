"""Makes all calls with the client that openapi-python-client generates.

sdk/cases/run generated python python_client.py FOLDER, with the generated package `document_client` in the folder.
"""

from __future__ import annotations

import importlib
import inspect
import io
import os
import pkgutil
import sys
import typing
from typing import Any

import calls


class Client:
    def __init__(self) -> None:
        import document_client
        import document_client.api

        self.package = document_client
        self.modules = {
            module.name.rsplit(".", 1)[1]: module.name
            for module in pkgutil.walk_packages(document_client.api.__path__, "document_client.api.")
        }

    def call(self, call: calls.Call, parameters: Any, json: Any, form: Any) -> tuple[int, bytes]:
        module = importlib.import_module(self.modules[calls.snake(call.operation)])
        function = module.sync_detailed
        given = calls.named(parameters, list(inspect.signature(function).parameters))
        hints = typing.get_type_hints(function)
        for name, hint in hints.items():
            if name in given:
                given[name] = self._converted(given[name], hint)
        if "body" in hints:
            given["body"] = self._body(hints["body"], call, json, form)
        # A client that is given the key in the header X-API-Key, which the document offers.
        client = self.package.AuthenticatedClient(
            os.environ["KAISATSU_URL"], os.environ[call.key], prefix="", auth_header_name="X-API-Key", timeout=60
        )
        answer = function(client=client, **given)
        if answer.status_code == 200 and answer.parsed is None:
            raise ValueError("the answer is not what the document says")
        return int(answer.status_code), answer.content

    def _body(self, hint: Any, call: calls.Call, json: Any, form: Any) -> Any:
        file = self.package.types.File
        if call.body is not None:
            return file(payload=io.BytesIO(call.body), file_name="picture", mime_type="application/octet-stream")
        model = next(one for one in typing.get_args(hint) or (hint,) if hasattr(one, "from_dict"))
        if json is not None:
            return model.from_dict(json)
        values = calls.named(form, list(inspect.signature(model).parameters))
        hints = typing.get_type_hints(model.__init__)
        for name, value in values.items():
            if isinstance(value, bytes):
                values[name] = file(payload=io.BytesIO(value), file_name="picture.png")
            else:
                values[name] = self._converted(value, hints[name])
        return model(**values)

    @staticmethod
    def _converted(value: Any, hint: Any) -> Any:
        """A word of an enumeration as what stands for it."""
        kinds = typing.get_args(hint) or (hint,)
        enums = [one for one in kinds if inspect.isclass(one) and hasattr(one, "__members__")]
        return enums[0](value) if enums else value


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    sys.exit(calls.make_all(Client()))
