"""What callers were told, and whether the servers keep to it.

A fact is one step of the history: something was made, removed, seen or missed. A step is sure if the server
acknowledged it. A request that timed out or was cut off may have been done, may not have been, and may still be done
later; such a step is not sure, and whatever follows from either case is accepted.
"""

import threading
import time
from collections import defaultdict
from dataclasses import dataclass

UNKNOWN = "?"  # the name of something whose making was not acknowledged

# After a revocation a replica that cannot reach the database accepts a key that it knows for 30 seconds, and a second
# passes until it has read a revocation. docs/operations.md promises both.
KEY_GRACE = 31.0


@dataclass(frozen=True)
class Fact:
    """One step. `value` is what is compared: the hash of an image, the verdict given, the id behind a name."""

    deed: str  # make, remove, see or miss
    what: str  # image, dataset, dataset name, verdict, key or token
    name: str
    sure: bool = True
    began: float = 0.0
    ended: float = 0.0
    value: str = ""
    where: str = ""  # the replica that was asked; empty if the load balancer chose it
    final: bool = False  # whether it was asked after all faults, when every replica had recovered


class History:
    """Facts and complaints, collected by several threads."""

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.complaints: list[str] = []
        self.lock = threading.Lock()
        self.began = time.monotonic()

    def add(self, deed: str, what: str, name: str, **rest) -> None:
        with self.lock:
            self.facts.append(Fact(deed, what, name, **rest))

    def complain(self, text: str) -> None:
        with self.lock:
            self.complaints.append(f"{time.monotonic() - self.began:6.1f} s: {text}")


def judge(facts: list[Fact]) -> list[str]:
    """Everything in which the servers broke their word, in sentences."""
    told: dict[tuple[str, str], list[Fact]] = defaultdict(list)
    maybe = {(fact.what, fact.value) for fact in facts if fact.deed == "make" and not fact.sure}
    for fact in facts:
        if fact.name != UNKNOWN:
            told[fact.what, fact.name].append(fact)
    return [f"{what} {name}: {text}" for (what, name), steps in told.items()
            for text in dict.fromkeys(judge_one(steps, maybe))]


def judge_one(steps: list[Fact], maybe: set[tuple[str, str]]):
    """The complaints about one thing."""
    deeds: dict[str, list[Fact]] = defaultdict(list)
    for step in steps:
        deeds[step.deed].append(step)
    makes, removes, sights, misses = (deeds[deed] for deed in ("make", "remove", "see", "miss"))
    acknowledged = [make for make in makes if make.sure]
    if not makes and sights and (sights[0].what, sights[0].value) not in maybe:
        yield f"seen{at(sights[0])}, and nobody made it"
    if not acknowledged:
        yield from disagreements(sights, misses)
        return
    made = min(make.ended for make in acknowledged)
    for miss in misses:
        if miss.began >= made and not any(remove.began <= miss.ended for remove in removes):
            yield f"lost: acknowledged, never removed, and missing{at(miss)}"
    gone = min((remove.ended for remove in removes if remove.sure), default=None)
    for sight in sights:
        grace = KEY_GRACE if sight.what == "key" and not sight.final else 0.0
        if gone is not None and sight.began >= gone + grace:
            yield f"resurrected: seen{at(sight)} {sight.began - gone:.1f} s after its removal was acknowledged"
    yield from changes(makes, sights)
    if not removes and not any(step.final for step in sights + misses):
        yield "nobody looked for it at the end"
    if gone is None:
        yield from disagreements(sights, misses)


def changes(makes: list[Fact], sights: list[Fact]):
    """What is seen must be what was made last, or what a request without an answer may have made of it since."""
    latest = max((make for make in makes if make.sure), key=lambda make: make.ended)
    allowed = {latest.value} | {make.value for make in makes if not make.sure}
    for sight in sights:
        if sight.began >= latest.ended and sight.value not in allowed:
            yield f"changed: {sight.value} was seen{at(sight)} instead of {' or '.join(sorted(allowed))}"


def disagreements(sights: list[Fact], misses: list[Fact]):
    """At the end all replicas say the same, also about what may or may not have been done."""
    seen = {sight.where: sight for sight in sights if sight.final}
    missed = {miss.where: miss for miss in misses if miss.final}
    if seen and missed:
        yield f"replicas disagree: {', '.join(sorted(seen))} have it, {', '.join(sorted(missed))} do not"
    if len({sight.value for sight in seen.values()}) > 1:
        yield f"replicas disagree: {', '.join(f'{where}: {one.value}' for where, one in sorted(seen.items()))}"


def at(fact: Fact) -> str:
    return f" by {fact.where}" if fact.where else ""
