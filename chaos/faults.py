"""The faults, and the plan of a run: which come when, by a seed."""

import random
import signal
from collections.abc import Callable
from dataclasses import dataclass, field

from cluster import Cluster


@dataclass
class Fault:
    """Something that goes wrong for a while."""

    text: str
    begin: Callable[[], object]
    end: Callable[[], object]
    hides: bool = False  # whether callers may wait for answers, because a replica cannot send any
    least: float = 1.0  # seconds
    starts: bool = False  # whether its end starts a replica


@dataclass
class Act:
    """Faults that begin together and end together."""

    faults: list[Fault]
    pause: float  # seconds before it
    seconds: float
    began: float = field(default=0.0)
    ended: float = field(default=0.0)

    def __str__(self) -> str:
        return f"after {self.pause:.1f} s, for {self.seconds:.1f} s: {' and '.join(one.text for one in self.faults)}"


def kill(cluster: Cluster, dice: random.Random) -> Fault:
    one = dice.choice(cluster.replicas)

    def begin() -> None:
        one.down = True
        one.kill()

    def end() -> None:
        one.start()
        one.down = False

    return Fault(f"SIGKILL of {one.name}", begin, end, least=0.2, starts=True)


def pause(cluster: Cluster, dice: random.Random) -> Fault:
    one = dice.choice(cluster.replicas)
    return Fault(f"SIGSTOP of {one.name}", lambda: one.signal(signal.SIGSTOP), lambda: one.signal(signal.SIGCONT),
                 hides=True)


def cut_off(cluster: Cluster, dice: random.Random) -> Fault:
    """Bytes between callers and a replica, or a replica and one of its stores, are lost, held up, or refused."""
    one = dice.choice(cluster.replicas)
    where = dice.choice(["front", "database", "storage"])
    mode, silent = dice.choice(["swallow", "swallow", "hold", "refuse"]), dice.random() < 0.5
    link = getattr(one, where)

    def end() -> None:
        link.set("pass")
        if mode == "swallow" and not silent:
            link.reset(only_lossy=True)

    what = {"front": "callers", "database": "the database", "storage": "the image storage"}[where]
    how = {"swallow": "loses bytes" + (", and connections that lost some stay silent" if silent else ""),
           "hold": "holds bytes up", "refuse": "refuses connections"}[mode]
    return Fault(f"the link of {one.name} to {what} {how}", lambda: link.set(mode), end, hides=where == "front")


def clock(cluster: Cluster, dice: random.Random) -> Fault:
    one, seconds = dice.choice(cluster.replicas), dice.choice([-1, 1]) * dice.randrange(60, 600)
    return Fault(f"the clock of {one.name} is {seconds:+d} s wrong", lambda: one.skew(seconds), lambda: one.skew(0),
                 least=8.0)


def restart_database(cluster: Cluster, dice: random.Random) -> Fault:
    how = dice.choice([signal.SIGINT, signal.SIGQUIT])
    return Fault(f"PostgreSQL restarts after {how.name}", lambda: cluster.postgres.primary.stop(how),
                 lambda: cluster.postgres.primary.start(), least=0.2)


def fail_over(cluster: Cluster, dice: random.Random) -> Fault:
    def begin() -> None:
        cluster.postgres.settle()
        for link in cluster.database_links():
            link.set("refuse")

    def end() -> None:
        port = cluster.postgres.fail_over()
        for link in cluster.database_links():
            link.turn(port)
            link.set("pass")
        cluster.postgres.mend()

    return Fault("PostgreSQL fails over to its standby", begin, end, least=0.2)


def lose_database(cluster: Cluster, dice: random.Random) -> Fault:
    mode = dice.choice(["swallow", "hold"])

    def begin() -> None:
        for link in cluster.database_links():
            link.set(mode)

    def end() -> None:
        for link in cluster.database_links():
            link.set("pass")
            link.reset(only_lossy=True)

    return Fault(f"PostgreSQL is silent for all ({mode})", begin, end)


def fill_database(cluster: Cluster, dice: random.Random) -> Fault:
    def end() -> None:
        server = cluster.postgres.primary
        server.disk.make_room()
        if server.process.poll() is not None:  # it ends when it cannot write its log, and a service manager restarts it
            server.start()

    return Fault("the disk of PostgreSQL is full", lambda: cluster.postgres.primary.disk.fill(), end)


def disturb_storage(cluster: Cluster, dice: random.Random) -> Fault:
    name, mode, delay = dice.choice([
        ("is gone", "refuse", 0.0), ("is slow", "pass", dice.uniform(0.3, 2.0)), ("is silent", "swallow", 0.0),
        ("answers that it is full", (507, b"XMinioStorageFull"), 0.0), ("asks to slow down", (503, b"SlowDown"), 0.0)])
    links = [replica.storage for replica in cluster.replicas]

    def begin() -> None:
        for link in links:
            link.set(mode, delay)

    def end() -> None:
        for link in links:
            link.set("pass")
            link.reset(only_lossy=True)

    return Fault(f"the S3 server {name}", begin, end)


def fill_storage(cluster: Cluster, dice: random.Random) -> Fault:
    return Fault("the disk of the S3 server is full", cluster.disk.fill, cluster.disk.make_room)


# Faults of different places may come together.
PLACES = {
    "replica": [kill, pause, cut_off],
    "clock": [clock],
    "database": [restart_database, fail_over, lose_database, fill_database],
    "storage": [disturb_storage, fill_storage],
}
WEIGHTS = {"replica": 4, "clock": 1, "database": 4, "storage": 3}


def plan(cluster: Cluster, seed: int, seconds: float, only: str = "", without: str = "") -> list[Act]:
    """The acts of a run that lasts about so long. `only` and `without` choose acts by words in their texts."""
    dice = random.Random(seed)
    acts, total = [], 0.0
    while total < seconds:
        places = {dice.choices(list(WEIGHTS), WEIGHTS.values())[0] for _ in range(dice.choice([1, 1, 2]))}
        faults = [dice.choice(PLACES[place])(cluster, dice) for place in sorted(places)]
        act = Act(faults, dice.uniform(0.5, 2.0), max(dice.uniform(0.2, 6.0), *(one.least for one in faults), 0.2))
        if only not in str(act) or (without and without in str(act)):
            continue
        acts.append(act)
        total += act.pause + act.seconds + 2.0
    return acts
