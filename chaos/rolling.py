"""Rolling restarts: every replica is stopped and started again, one after the other, and no request fails."""

import time
from pathlib import Path

from callers import Caller
from cluster import Cluster
from history import History


def restart_in_turn(cluster: Cluster, binary: Path, callers: list[Caller], history: History) -> None:
    """Restarts the replicas, with this binary, while callers that accept no failure send requests."""
    for caller in callers:
        caller.start()
    time.sleep(1.0)
    for replica in cluster.replicas:
        replica.down = True
        code = replica.terminate()
        if code != 0:
            history.complain(f"{replica.name} was told to stop and ended with {code}")
        replica.binary = binary
        replica.start()
        replica.wait_ready()
        replica.down = False
        time.sleep(1.0)  # until the balancer has seen it
    cluster.binary = binary
    for caller in callers:
        caller.stopping.set()
    for caller in callers:
        caller.join()
