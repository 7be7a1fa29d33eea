"""pgbouncer between the replicas and PostgreSQL, in transaction mode: a connection is lent for one transaction."""

import subprocess
import time
from pathlib import Path

from postgres import ENVIRONMENT, USER, Group, Install
from tools import free_port, tail

SETTINGS = """
[databases]
* = host=127.0.0.1 port={database}

[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 8
max_client_conn = 1000
# Tests make many databases, each with connections of its own.
max_db_connections = 8
server_idle_timeout = 10
# What the server prepares by name is prepared again on each connection that it is lent.
max_prepared_statements = 200
ignore_startup_parameters = extra_float_digits
server_login_retry = 1
query_wait_timeout = 10
"""


class Pooler:
    def __init__(self, install: Install, folder: Path, postgres: Group, database: int) -> None:
        self.folder, self.port = folder / "pgbouncer", free_port()
        self.folder.mkdir()
        self.log = self.folder / "log"
        (self.folder / "users").write_text(f'"{USER}" "{postgres.password}"\n')
        (self.folder / "settings").write_text(SETTINGS.format(database=database, port=self.port, folder=self.folder))
        with self.log.open("wb") as log:
            words = [*map(str, install.front), "/usr/sbin/pgbouncer", self.folder / "settings"]
            self.process = subprocess.Popen(words, cwd=self.folder, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                                            stdout=log, stderr=log, start_new_session=True)
        server = postgres.primary
        for _ in range(100):
            try:
                server.run("psql", "-X", "-q", "-h", "127.0.0.1", "-p", self.port, "-U", USER, "-d", "postgres", "-c",
                           "SELECT 1")
                return
            except RuntimeError:
                time.sleep(0.1)
        self.end()
        raise RuntimeError(f"pgbouncer does not answer: {tail(self.log)}")

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
