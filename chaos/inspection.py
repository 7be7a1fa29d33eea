"""After the faults: what every replica says of everything that was ever acknowledged."""

import hashlib
import json
import random
import threading
import time

from api import Api, picture
from callers import Caller
from cluster import Cluster
from history import History
from replica import Replica
from revocations import try_key, try_token

SETTLE = 2.0  # seconds; within one, every replica knows of every change
BUILDS = 60.0  # seconds until the datasets that were begun are ready
AGREEMENT = 30.0


def inspect(cluster: Cluster, callers: list[Caller], history: History, dice: random.Random) -> None:
    time.sleep(SETTLE)
    wait_for_builds(cluster, callers, history)
    threads = [threading.Thread(target=inspect_replica, args=(replica, cluster, callers, history, dice.random()))
               for replica in cluster.replicas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    inspect_verdicts(cluster, history)
    compare_answers(cluster, history, dice)
    done = cluster.command("check", "--deep", seconds=120)
    if done.returncode != 0:
        history.complain(f"kaisatsu check: {done.stdout}{done.stderr}")


def wait_for_builds(cluster: Cluster, callers: list[Caller], history: History) -> None:
    until = time.monotonic() + BUILDS
    for caller in callers:
        while True:
            api = Api(cluster.balancer.port, cluster.key, history)
            api.token = caller.api.token
            listed = api.pages("userCategory/listDataSets", "dataSets")
            states = {one["dataSetId"]: one["state"] for one in listed or []}
            if listed is not None and not set(states.values()) & {"queued", "building"}:
                break
            if time.monotonic() > until:
                history.complain(f"datasets of {caller.user} are not built: {states}")
                break
            time.sleep(0.3)
        for name, state in states.items():
            if state == "failed":
                history.complain(f"dataset {name} failed: {listed}")


def inspect_replica(replica: Replica, cluster: Cluster, callers: list[Caller], history: History, seed: float) -> None:
    final, dice = {"where": replica.name, "final": True}, random.Random(seed)
    try:
        for caller in callers:
            api = Api(replica.front.port, cluster.key, history, strict=True)
            api.token = caller.api.token
            inspect_images(api, caller, history, final, dice)
            inspect_datasets(api, caller, history, final)
        api = Api(replica.front.port, cluster.key, history, strict=True)
        known = {(fact.what, fact.name) for fact in list(history.facts) if fact.deed == "make" and fact.sure}
        for what, name in sorted(known):
            if what == "key" and not try_key(api, name, history, **final):
                history.complain(f"{replica.name} does not say whether a key is valid")
            if what == "token" and not try_token(replica.front.port, name, history, **final):
                history.complain(f"{replica.name} does not say whether a token is valid")
    except Exception as error:  # noqa: BLE001
        history.complain(f"{replica.name} could not be inspected: {error!r}")


def list_all(api: Api, operation: str, field: str, caller: Caller) -> tuple[list, dict]:
    """Everything that a caller has of a kind, and when it was asked for."""
    began = time.monotonic()
    listed = api.pages(operation, field)
    if listed is None:
        raise ValueError(f"{operation} does not answer for {caller.user}")
    return listed, {"began": began, "ended": time.monotonic()}


def inspect_images(api: Api, caller: Caller, history: History, final: dict, dice: random.Random) -> None:
    listed, times = list_all(api, "userCategory/listImages", "images", caller)
    for one in listed:
        history.add("see", "image", one["imageId"], value=one["sha256"], **times, **final)
    for name in caller.made["image"] - {one["imageId"] for one in listed}:
        history.add("miss", "image", name, **times, **final)
    # The bytes too, of some that are there and some that are deleted. `kaisatsu check --deep` reads all bytes.
    present = [one["imageId"] for one in listed]
    for name in [*dice.sample(present, min(12, len(present))),
                 *dice.sample(caller.deleted, min(12, len(caller.deleted)))]:
        answer = api.image(name)
        if answer.status == 200:
            digest = hashlib.sha256(answer.body).hexdigest()
            history.add("see", "image", name, value=digest, **answer.times(), **final)
        else:
            history.add("miss", "image", name, **answer.times(), **final)
            if answer.status != 404:
                history.complain(f"{final['where']}: getImage {name}: {answer}")


def inspect_datasets(api: Api, caller: Caller, history: History, final: dict) -> None:
    listed, times = list_all(api, "userCategory/listDataSets", "dataSets", caller)
    for one in listed:
        history.add("see", "dataset", one["dataSetId"], value=one["name"], **times, **final)
        history.add("see", "dataset name", one["name"], value=one["dataSetId"], **times, **final)
    for name in caller.made["dataset"] - {one["dataSetId"] for one in listed}:
        history.add("miss", "dataset", name, **times, **final)
        history.add("miss", "dataset name", caller.name_of(name), **times, **final)


def inspect_verdicts(cluster: Cluster, history: History) -> None:
    began = time.monotonic()
    done = cluster.command("feedback", "export")
    times = {"began": began, "ended": time.monotonic()}
    if done.returncode != 0:
        history.complain(f"kaisatsu feedback export: {done.stderr}")
        return
    stored = {}
    for line in done.stdout.splitlines():
        row = json.loads(line)
        stored[f"{row['recognitionId']}/{row['itemId']}"] = str(row["isValid"]).lower()
    for name in {fact.name for fact in list(history.facts) if fact.what == "verdict"}:
        deed = "see" if name in stored else "miss"
        history.add(deed, "verdict", name, value=stored.get(name, ""), where="the database", final=True, **times)


def compare_answers(cluster: Cluster, history: History, dice: random.Random) -> None:
    """All replicas have learned the same: they give the same answer to the same picture."""
    shown = picture(dice)
    until = time.monotonic() + AGREEMENT
    while True:
        answers = {}
        for replica in cluster.replicas:
            answer = Api(replica.front.port, cluster.key, history, strict=True).classify(shown)
            told = answer.json()["candidates"] if answer.status == 200 else str(answer)
            answers[replica.name] = [(one["tag"], one["score"]) for one in told] if answer.status == 200 else told
        if len({json.dumps(told) for told in answers.values()}) == 1:
            return
        if time.monotonic() > until:
            history.complain(f"replicas answer differently to the same picture: {answers}")
            return
        time.sleep(0.5)
