"""Runs the story of sdk/cases with both clients, blocking and asynchronous. sdk/cases/README.md describes it.

tools/with-models sdk/cases/run python python -m tests.story
"""

import asyncio
import inspect
import json
import os
import re
import sys
import urllib.request
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from kaisatsu_client import AsyncKaisatsu, DataSetImage, Kaisatsu, KaisatsuError, Site
from kaisatsu_client._decode import camel
from tests.plain import differences, lookup, plain

KEYS = {
    "standard": "KAISATSU_KEY",
    "restricted": "KAISATSU_RESTRICTED_KEY",
    "operator": "KAISATSU_OPERATOR_KEY",
}
Step = dict[str, Any]


def snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()


def options(step: Step) -> dict[str, Any]:
    """The arguments of the client of a step."""
    told = dict(step.get("client", {}))
    name = told.pop("key", "standard")
    chosen = {snake(field): value for field, value in told.items()}
    chosen.setdefault("key_in", os.environ["KAISATSU_KEY_IN"])
    base = os.environ["KAISATSU_PROXY" if "fault" in step else "KAISATSU_URL"]
    return {"base_url": base, "key": os.environ[KEYS[name]] if name in KEYS else "kst_wrong", **chosen}


def argument(value: Any, saved: dict[str, Any]) -> Any:
    if isinstance(value, str) and value.startswith("$"):
        return saved[value[1:]]
    if isinstance(value, list):
        return [argument(inner, saved) for inner in value]
    if isinstance(value, dict) and "picture" in value:
        return Path(os.environ["KAISATSU_PICTURES"]) / value["picture"]
    return {name: argument(inner, saved) for name, inner in value.items()} if isinstance(value, dict) else value


def arguments(step: Step, saved: dict[str, Any]) -> dict[str, Any]:
    found = argument(step.get("with", {}), saved)
    if step["call"] in ("datasets.create", "datasets.update"):
        for name in {"images", "add"} & found.keys():
            found[name] = [
                DataSetImage(**{snake(field): value for field, value in image.items()}) for image in found[name]
            ]
        for name in {"retag", "renameTags"} & found.keys():
            found[name] = dict(tuple(pair.values()) for pair in found[name])
    if "sites" in found:
        found["sites"] = [Site(**{snake(name): value for name, value in site.items()}) for site in found["sites"]]
    return {("from_" if name == "from" else snake(name)): value for name, value in found.items()}


def method(client: Any, call: str) -> Callable[..., Any]:
    for part in call.split("."):
        client = getattr(client, snake(part))
    found: Callable[..., Any] = client
    return found


def call_blocking(step: Step, given: dict[str, Any]) -> Any:
    with Kaisatsu(**options(step)) as client:
        result = method(client, step["call"])(**given)
        return taken(result, step.get("take")) if inspect.isgenerator(result) else result


def taken(values: Any, most: int | None) -> list[Any]:
    found = []
    for value in values:
        found.append(value)
        if len(found) == most:
            break
    return found


async def call_async(step: Step, given: dict[str, Any]) -> Any:
    async with AsyncKaisatsu(**options(step)) as client:
        result = method(client, step["call"])(**given)
        if inspect.isasyncgen(result):
            found: list[Any] = []
            async for value in result:
                found.append(value)
                if len(found) == step.get("take"):
                    break
            await result.aclose()
            return found
        if "cancelAfter" not in step:
            return await result
        task = asyncio.ensure_future(result)
        asyncio.get_running_loop().call_later(step["cancelAfter"], task.cancel)
        return await task


def control(path: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(os.environ["KAISATSU_PROXY_CONTROL"] + path, data) as answer:
        return json.load(answer)


async def run_step(step: Step, saved: dict[str, Any], call: Callable[[Step, dict[str, Any]], Awaitable[Any]]) -> str:
    """What is wrong, or nothing."""
    if "fault" in step:
        control("/fault", step["fault"])
    result = error = None
    try:
        result = plain(await call(step, arguments(step, saved)))
    except KaisatsuError as raised:
        error = {camel(name): value for name, value in vars(raised).items()} | {"type": raised.kind}
    except asyncio.CancelledError:
        error = {"type": "cancelled"}
    wrong = []
    if "error" in step:
        wrong += ["no error"] if error is None else differences(error, step["error"], saved)
    elif error is not None:
        wrong.append(f"failed with {error}")
    else:
        wrong += differences(result, step.get("expect", {}), saved)
        saved |= {name: lookup(result, path) for name, path in step.get("save", {}).items()}
    if "requests" in step or "sent" in step:
        seen = control("/requests")
        if seen["requests"] != step.get("requests", seen["requests"]):
            wrong.append(f"{seen['requests']} requests, not {step['requests']}")
        wrong += differences(seen["seen"][-1], step["sent"], saved) if "sent" in step else []
    return "; ".join(wrong)


async def run(
    name: str, call: Callable[[Step, dict[str, Any]], Awaitable[Any]], leave_out: Callable[[Step], bool]
) -> int:
    story = json.loads((Path(os.environ["KAISATSU_CASES"]) / "story.json").read_text())
    saved: dict[str, Any] = {}
    failed = passed = 0
    for step in story:
        if leave_out(step):
            continue
        wrong = await run_step(step, saved, call)
        print(f"FAILED {name}: {step['name']}: {wrong}" if wrong else f"ok {name}: {step['name']}", flush=True)
        failed, passed = failed + bool(wrong), passed + (not wrong)
    print(f"{passed} passed, {failed} failed")
    return failed


async def main() -> int:
    async def blocking(step: Step, given: dict[str, Any]) -> Any:
        return call_blocking(step, given)

    # A blocking call ends when it is done or when its time is up; it has nothing to cancel it by.
    failed = await run("blocking", blocking, lambda step: "cancelAfter" in step)
    return failed + await run("async", call_async, lambda _: False)


if __name__ == "__main__":
    sys.exit(1 if asyncio.run(main()) else 0)
