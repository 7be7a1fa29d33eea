"""Whether replicas come back by themselves, and the service manager that starts ended ones again."""

import random
import threading
import time

from api import Api, picture
from cluster import Cluster
from faults import Act
from history import History
from replica import Replica

RECOVERY = 10.0  # seconds from the end of a fault; a replica that was killed has as long as its start takes on top
LIMIT = 60.0  # seconds after which a run is given up
DATABASE_AWAY = 3  # exit code of a server that starts while the database is away


class Supervisor(threading.Thread):
    """Starts replicas that ended, as systemd or an orchestrator does. None should end that nobody killed."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        super().__init__(daemon=True)
        self.cluster, self.history = cluster, history
        self.stopping = threading.Event()

    def run(self) -> None:
        while not self.stopping.wait(0.2):
            for replica in self.cluster.replicas:
                code = None if replica.down else replica.process.poll()
                if code is not None:
                    if code != DATABASE_AWAY:
                        self.history.complain(f"{replica.name} ended by itself, with {code}")
                    replica.start()


def wait_for_recovery(act: Act, cluster: Cluster, history: History, timed: bool) -> float:
    """Asks every replica until it does everything again; returns how long the slowest took."""
    took: dict[str, float] = {}
    allowed = RECOVERY + (cluster.start_takes if any(fault.starts for fault in act.faults) else 0.0)
    if not timed:
        allowed = LIMIT

    def wait(replica: Replica) -> None:
        api = Api(replica.front.port, cluster.key, history)
        problem, last = "nothing was tried", ""
        while time.monotonic() < act.ended + LIMIT:
            problem = try_everything(api, replica, history)
            if not problem:
                break
            last = problem
            time.sleep(0.1)
        took[replica.name] = time.monotonic() - act.ended
        if problem or took[replica.name] > allowed:
            history.complain(f"{replica.name} answered again {took[replica.name]:.1f} s after the end of: {act}; "
                             f"before that: {last}")

    threads = [threading.Thread(target=wait, args=(replica,)) for replica in cluster.replicas]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return max(took.values())


def try_everything(api: Api, replica: Replica, history: History) -> str:
    """Uses the database, the image storage and the engine; returns what failed."""
    status, reason = replica.readiness()
    if status != 200:
        return f"/readyz: {status} {reason}"
    if not api.token:
        answer = api.call("userCategory/getToken", {"userId": f"probe-{replica.name}"})
        if answer.status != 200:
            return f"getToken: {answer}"
        api.token = answer.json()["token"]
    bytes_ = picture(random.SystemRandom())
    answer = api.upload(bytes_)
    if answer.status != 200:
        return f"uploadImage: {answer}"
    name = answer.json()["imageId"]
    answer = api.image(name)
    if answer.status != 200 or answer.body != bytes_:
        return f"getImage: {answer}"
    answer = api.call("userCategory/deleteImage", {"imageId": name})
    if answer.status != 204:
        return f"deleteImage: {answer}"
    answer = api.classify(bytes_)
    return "" if answer.status == 200 else f"classify: {answer}"
