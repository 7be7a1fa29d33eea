"""The operator: creates and revokes keys and tokens with the command line, and tries them."""

import json
import random
import re
import subprocess
import threading
import time

from api import Api
from cluster import Cluster
from history import History


class Operator(threading.Thread):
    def __init__(self, seed: int, cluster: Cluster, history: History) -> None:
        super().__init__(daemon=True)
        self.random, self.cluster, self.history = random.Random(f"{seed}-operator"), cluster, history
        self.keys: list[tuple[str, str]] = []  # the application, which has the name of its only user too, and its key
        self.tokens: dict[str, str] = {}
        self.gone: list[str] = []
        self.api = Api(cluster.balancer.port, cluster.key, history)
        self.stopping = threading.Event()

    def run(self) -> None:
        deeds = {self.create: 5, self.disable: 3, self.issue: 4, self.revoke: 3, self.try_one: 8}
        try:
            while not self.stopping.is_set():
                self.random.choices(list(deeds), deeds.values())[0]()
                time.sleep(self.random.random() * 0.4)
        except Exception as error:  # noqa: BLE001
            self.history.complain(f"the operator ended: {error!r}")
            raise

    def command(self, *words: str) -> tuple[str | None, dict]:
        """Runs a command; returns what it printed, or none if it failed, and its times."""
        began = time.monotonic()
        try:
            done = self.cluster.command(*words)
            out = done.stdout if done.returncode == 0 else None
        except subprocess.TimeoutExpired:
            out = None
        return out, {"began": began, "ended": time.monotonic()}

    def create(self) -> None:
        application = f"guest-{self.random.getrandbits(40):x}"
        out, times = self.command("key", "create", "--app", application)
        found = re.search(r"kst_\w+", out or "")
        if found:
            self.keys.append((application, found[0]))
            self.history.add("make", "key", found[0], **times)

    def disable(self) -> None:
        if not self.keys:
            return
        application, key = self.random.choice(self.keys)
        listed, _ = self.command("key", "list", "--app", application, "--json")
        if listed is None:
            return
        if not listed.strip():
            self.history.add("miss", "key", key)
            return
        self.keys.remove((application, key))
        token = self.tokens.pop(application, None)
        out, times = self.command("key", "disable", json.loads(listed)["id"])
        self.history.add("remove", "key", key, sure=out is not None, **times)
        if token:  # without its key it cannot be tried any more; that it may not be used is no wonder
            self.history.add("remove", "token", f"{key} {token}", sure=False, **times)
        self.gone.append(key)

    def issue(self) -> None:
        if not self.keys:
            return
        application, key = self.random.choice(self.keys)
        guest = self.guest(key)
        answer = guest.call("userCategory/getToken", {"userId": application})
        if answer.status == 200 and application not in self.tokens:
            self.tokens[application] = answer.json()["token"]
            self.history.add("make", "token", f"{key} {self.tokens[application]}", **answer.times())
        elif answer.status in (401, 403):
            self.history.add("miss", "key", key, **answer.times())

    def revoke(self) -> None:
        if not self.tokens:
            return
        application = self.random.choice(list(self.tokens))
        key, token = dict(self.keys)[application], self.tokens.pop(application)
        out, times = self.command("token", "revoke", "--app", application, "--user", application)
        self.history.add("remove", "token", f"{key} {token}", sure=out is not None, **times)

    def try_one(self) -> None:
        keys = self.gone[-8:] + [key for _, key in self.keys[-4:]]
        if keys:
            try_key(self.api, self.random.choice(keys), self.history)

    def guest(self, key: str) -> Api:
        return Api(self.cluster.balancer.port, key, self.history)


def try_key(api: Api, key: str, history: History, **rest) -> bool:
    """Uses a key; returns whether there was an answer that tells."""
    answer = api.maps(key)
    if answer.status in (200, 401, 403):
        history.add("see" if answer.status == 200 else "miss", "key", key, **answer.times(), **rest)
    return answer.status in (200, 401, 403)


def try_token(port: int, name: str, history: History, **rest) -> bool:
    """Uses a token; `name` is a key and the token. Returns whether there was an answer that tells."""
    key, token = name.split()
    api = Api(port, key, history)
    api.token = token
    answer = api.call("userCategory/listImages", {"limit": 1})
    if answer.status in (200, 401, 403):
        history.add("see" if answer.status == 200 else "miss", "token", name, **answer.times(), **rest)
    return answer.status in (200, 401, 403)
