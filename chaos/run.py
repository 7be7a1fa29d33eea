#!/usr/bin/env python3
"""Lets three replicas work while everything around them fails, and checks that they keep their word.

    make chaos                       one run of a minute
    SEED=7 make chaos                the same plan of faults again
    RUNS=100 make chaos              a hundred runs with different seeds
    PREVIOUS=path/to/kaisatsu make chaos    begins with the binary of an earlier version

README.md describes the faults and what is checked.
"""

import argparse
import json
import os
import random
import signal
import sys
import time
import traceback
from datetime import datetime, timezone
from pathlib import Path

from callers import Caller
from cluster import Cluster
from faults import Act, plan
from history import History, judge
from inspection import inspect
from recovery import Supervisor, wait_for_recovery
from replica import REQUEST_TIMEOUT
from revocations import Operator
from rolling import restart_in_turn

CALLERS = 5
GOOD, COMPLAINTS, GAVE_UP, NOT_STARTED = "good", "complaints", "ended early", "did not start"
SLACK = 4.0  # seconds that an answer may be late beyond the time limit of a request, on a busy machine


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", type=Path, default=os.environ.get("KAISATSU_BINARY"), help="the server")
    parser.add_argument("--previous", type=Path, default=os.environ.get("PREVIOUS") or None)
    parser.add_argument("--models", type=Path, default=os.environ.get("KAISATSU_TEST_MODELS"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--runs", type=int, default=int(os.environ.get("RUNS") or 1))
    parser.add_argument("--seed", type=int,
                        default=int(os.environ.get("SEED") or random.SystemRandom().randrange(1 << 31)))
    parser.add_argument("--only", default="", help="only acts in whose text this occurs")
    parser.add_argument("--without", default="", help="no acts in whose text this occurs")
    parser.add_argument("--untimed", action="store_true", help="judge what is kept and seen, and not how long it takes")
    parser.add_argument("--results", type=Path, help="a file to which every run appends a line of JSON")
    parser.add_argument("--pooled", action="store_true", help="three servers of Debian's PostgreSQL behind pgbouncer")
    options = parser.parse_args()
    if not options.binary or not options.models:
        sys.exit("chaos: KAISATSU_BINARY and KAISATSU_TEST_MODELS are not set; `make chaos` sets them")
    signal.signal(signal.SIGTERM, told_to_stop)
    results = []
    for seed in range(options.seed, options.seed + options.runs):
        results.append(attempt(options, seed))
        if options.results:
            with options.results.open("a") as file:
                file.write(json.dumps(results[-1]) + "\n")
    print(summary(results))
    return 1 if any(result["outcome"] != GOOD for result in results) else 0


class Told(BaseException):
    """A signal asked this process to end."""


def told_to_stop(*_) -> None:
    raise Told  # so that everything that was started is ended


def attempt(options, seed: int) -> dict:
    """One run, whatever comes of it: the seeds that follow have their turn in any case."""
    print(f"chaos: SEED={seed}", flush=True)
    result = {"seed": seed, "began": datetime.now(timezone.utc).isoformat(timespec="seconds")}
    began = time.monotonic()
    try:
        cluster = Cluster(options.previous or options.binary, options.models, options.pooled)
    except (Exception, SystemExit) as error:  # noqa: BLE001: also what a helper ends a script with
        traceback.print_exc()
        result |= {"outcome": NOT_STARTED, "complaints": [repr(error)]}
    else:
        result |= run(options, seed, cluster)
    return result | {"seconds": round(time.monotonic() - began)}


def summary(results: list[dict]) -> str:
    lines = [f"{len(results)} runs"]
    for outcome, text in ((COMPLAINTS, "with complaints"), (GAVE_UP, "that ended early"),
                          (NOT_STARTED, "that did not start")):
        seeds = [str(result["seed"]) for result in results if result["outcome"] == outcome]
        lines.append(f"{len(seeds)} {text}{': seeds ' if seeds else ''}{' '.join(seeds)}")
    return ", ".join(lines)


def run(options, seed: int, cluster: Cluster) -> dict:
    """One run: what there is to complain of, and some figures."""
    history, kept = History(), False
    supervisor = Supervisor(cluster, history)
    threads = [supervisor]
    try:
        acts = plan(cluster, seed, options.seconds, options.only, options.without)
        callers = [Caller(number, seed, cluster.balancer.port, cluster.key, history) for number in range(CALLERS)]
        operator = Operator(seed, cluster, history)
        threads += [*callers, operator]
        for thread in threads:
            thread.start()
        slowest = 0.0
        for act in acts:
            slowest = max(slowest, perform(act, cluster, history, not options.untimed))
        stop(*callers, operator)
        cluster.postgres.settle()
        strict = [Caller(number, seed, cluster.balancer.port, cluster.key, history, strict=True) for number in range(4)]
        threads += strict
        say(history, "a rolling restart")
        restart_in_turn(cluster, options.binary, strict, history)
        say(history, "the inspection")
        inspect(cluster, callers + strict, history, random.Random(seed))
        stop(supervisor)
        if not options.untimed:
            judge_lateness(acts, callers, history)
        complaints = history.complaints + judge(history.facts)
        answers = [answer.status for caller in callers for _, answer in caller.api.answers]
        made = sum(fact.deed == "make" and fact.sure for fact in history.facts)
        print(f"chaos: {len(acts)} acts; {len(answers)} requests, {answers.count(503)} answered 503, {answers.count(0)} "
              f"without an answer; {made} things acknowledged, slowest recovery {slowest:.1f} s, "
              f"{len(complaints)} complaints", flush=True)
        kept = bool(complaints)
        if complaints:
            print("\n".join(complaints[:40]))
        return {"outcome": COMPLAINTS if complaints else GOOD, "complaints": complaints, "requests": len(answers),
                "acknowledged": made, "slowest_recovery": round(slowest, 1), "acts": [str(act) for act in acts]}
    except (Exception, SystemExit) as error:  # noqa: BLE001: what ends a run may be the servers' fault, or the test's
        kept = True
        traceback.print_exc()
        return {"outcome": GAVE_UP, "complaints": [repr(error), *history.complaints]}
    finally:
        for thread in threads:
            thread.stopping.set()
        cluster.end(keep=kept)
        if kept:
            print(f"{cluster.logs()}\nchaos: the logs are in {cluster.folder}; SEED={seed} repeats the plan", flush=True)


def perform(act: Act, cluster: Cluster, history: History, timed: bool) -> float:
    """One act, and the recovery from it; how long that took."""
    say(history, str(act))
    time.sleep(act.pause)
    act.began = time.monotonic()
    for fault in act.faults:
        fault.begin()
    time.sleep(act.seconds)
    for fault in act.faults:
        fault.end()
    act.ended = time.monotonic()
    return wait_for_recovery(act, cluster, history, timed)


def say(history: History, text: str) -> None:
    print(f"{time.monotonic() - history.began:6.1f} s {text}", flush=True)


def stop(*threads) -> None:
    for thread in threads:
        thread.stopping.set()
    for thread in threads:
        thread.join()


def judge_lateness(acts: list[Act], callers: list[Caller], history: History) -> None:
    """A caller waits no longer than the time limit of requests, unless the replica could not answer at all."""
    hidden = [(act.began, act.ended) for act in acts if any(fault.hides for fault in act.faults)]
    for caller in callers:
        for path, answer in caller.api.answers:
            late = answer.ended - answer.began > REQUEST_TIMEOUT + SLACK
            if late and not any(began < answer.ended and ended > answer.began for began, ended in hidden):
                history.complain(f"{path} took {answer.ended - answer.began:.1f} s, from "
                                 f"{answer.began - history.began:.1f} s on: {answer}")


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Told:
        sys.exit(143)
