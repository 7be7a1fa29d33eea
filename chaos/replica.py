"""One replica of the server under test, and its links to callers, database and image storage."""

import http.client
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from links import Link, Network
from tools import free_port, tail

REQUEST_TIMEOUT = 6  # seconds; the server's setting
START = 30  # seconds until a replica has to be ready, on a busy machine
# In the environment, where a version that does not know a setting ignores it.
SETTINGS = {
    "KAISATSU_REQUEST_TIMEOUT": f"{REQUEST_TIMEOUT}s",
    "KAISATSU_JOB_LEASE": "3s",
    "KAISATSU_SHUTDOWN_DRAIN": "1s",
    "KAISATSU_ENGINE_THREADS": "1",
    "KAISATSU_LOG": "warn",
}


def fake_time() -> Path:
    """libfaketime, which moves the clock of one process."""
    found = sorted(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"))
    return found[0] if found else sys.exit("chaos: libfaketime is missing: tools/setup chaos installs it")


class Replica:
    def __init__(self, name: str, network: Network, folder: Path, database: int, storage: int) -> None:
        self.name, self.folder, self.port = name, folder / name, free_port()
        self.folder.mkdir()
        self.front = Link(network, self.port)
        self.database, self.storage = Link(network, database), Link(network, storage)
        self.log, self.clock = self.folder / "log", self.folder / "clock"
        self.process: subprocess.Popen | None = None
        self.down = False  # on purpose
        self.skew(0)

    def configure(self, binary: Path, models: Path, database: str, blobs: str, secrets: dict) -> None:
        """`database` and `blobs` have the ports of this replica's links."""
        self.binary = binary
        self.words = ["serve", "--listen", f"127.0.0.1:{self.port}", "--data", str(self.folder / "data"), "--blobs",
                      blobs, "--models", str(models)]
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), "KAISATSU_DATABASE": database,
                            "LD_PRELOAD": str(fake_time()), "FAKETIME_TIMESTAMP_FILE": str(self.clock),
                            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "FAKETIME_CACHE_DURATION": "1", **SETTINGS, **secrets}

    def skew(self, seconds: int) -> None:
        """Moves the wall clock of this replica, within a second."""
        self.clock.write_text(f"{seconds:+d}s\n")

    def start(self) -> None:
        with self.log.open("ab") as log:
            self.process = subprocess.Popen([self.binary, *self.words], env=self.environment, cwd=self.folder,
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def signal(self, number: int) -> None:
        if self.process.poll() is None:
            self.process.send_signal(number)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def terminate(self) -> int:
        """Stops it as a service manager does; returns its exit code."""
        self.process.terminate()
        return self.process.wait(60)

    def readiness(self) -> tuple[int, str]:
        """The answer of /readyz: status and reason; 0 if there is none."""
        try:
            connection = http.client.HTTPConnection("127.0.0.1", self.front.port, timeout=2)
            connection.request("GET", "/readyz")
            answer = connection.getresponse()
            return answer.status, json.dumps(json.loads(answer.read()))
        except (OSError, http.client.HTTPException, ValueError) as error:
            return 0, repr(error)

    def wait_ready(self, seconds: float = START) -> None:
        until = time.monotonic() + seconds
        while self.readiness()[0] != 200:
            if self.process.poll() is not None:
                raise RuntimeError(f"{self.name} ended with {self.process.returncode}:\n{tail(self.log)}")
            if time.monotonic() > until:
                raise RuntimeError(f"{self.name} is not ready: {self.readiness()[1]}\n{tail(self.log)}")
            time.sleep(0.1)

    def end(self) -> None:
        if self.process and self.process.poll() is None:
            self.signal(signal.SIGCONT)
            self.kill()
