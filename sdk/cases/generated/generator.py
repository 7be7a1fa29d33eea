"""Makes all calls with the Python client that openapi-generator generates.

sdk/cases/run generated python generator.py FOLDER, with the generated package `document_generated` in the folder.
"""

from __future__ import annotations

import inspect
import os
import sys
import typing
from typing import Any

import calls


class Client:
    def __init__(self) -> None:
        import document_generated

        self.package = document_generated
        self.groups = [value for name, value in vars(document_generated).items() if name.endswith("Api")]

    def call(self, call: calls.Call, parameters: Any, json: Any, form: Any) -> tuple[int, bytes]:
        name = f"{calls.snake(call.operation)}_with_http_info"
        group = next(group for group in self.groups if hasattr(group, name))
        settings = self.package.Configuration(
            host=os.environ["KAISATSU_URL"], api_key={"X-API-Key": os.environ[call.key]}
        )
        function = getattr(group(self.package.ApiClient(settings)), name)
        accepted = inspect.signature(function).parameters
        names = [one for one in accepted if not one.startswith("_")]
        fields = {field: self._file(value) for field, value in (form or {}).items()}
        if form and "image" in form and "image" not in names:
            # Of the two forms of a request it offers the first: the image itself, with the rest in the query.
            fields.pop("image")
            fields["body"] = form["image"]
        given = calls.named({**parameters, **fields}, names)
        if json is not None:
            given |= self._model(function, names, json)
        if call.body is not None:
            given["body"] = call.body
        answer = function(**given)
        return answer.status_code, answer.raw_data or b""

    @staticmethod
    def _file(value: Any) -> Any:
        return ("picture.png", value) if isinstance(value, bytes) else value

    @staticmethod
    def _model(function: Any, names: list[str], json: Any) -> dict[str, Any]:
        """The argument whose type is a schema of the document."""
        hints = typing.get_type_hints(function)
        for name in names:
            for one in (hints[name], *typing.get_args(hints[name])):
                if inspect.isclass(one) and hasattr(one, "from_dict"):
                    return {name: one.from_dict(json)}
        raise ValueError("no argument takes the body")


if __name__ == "__main__":
    sys.path.insert(0, sys.argv[1])
    sys.exit(calls.make_all(Client()))
