#!/usr/bin/env python3
"""Runs a command beside three PostgreSQL 17 servers of Debian 13: one behind pgbouncer, in transaction mode, and two
that can be its shards.

    chaos/with_cluster.py cargo test --package kaisatsu-store

The command finds the address of pgbouncer in KAISATSU_TEST_POSTGRES, as it finds that of PostgreSQL below
tools/with-postgres, and those of the two others in KAISATSU_TEST_SHARDS; the users there may create databases. The
first server logs every statement with its parameters. When a password of another is in a log, this fails.
"""

import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from postgres import USER, Server, install_from_debian
from tools import tool


def main() -> int:
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the clean-up below runs
    install = install_from_debian()
    folder = Path(tempfile.mkdtemp(prefix="kaisatsu-cluster-"))
    folder.chmod(0o755)
    servers, pooler = [], None
    try:
        for name in ("main", "east", "west"):
            servers.append(Server(install, folder / name, secrets.token_hex(8), small=False))
            servers[-1].initialise()
            servers[-1].start()
        main, *shards = servers
        for setting in ("log_statement = 'all'", "log_min_duration_statement = 0", "log_parameter_max_length = -1"):
            main.sql(f"ALTER SYSTEM SET {setting}")
        main.sql("SELECT pg_reload_conf()")
        pooler = tool("with-pgbouncer").Pooler(folder, USER, main.password, main.port)
        environment = {"KAISATSU_TEST_POSTGRES": main.address(pooler.port),
                       "KAISATSU_TEST_SHARDS": " ".join(shard.address() for shard in shards)}
        ended = subprocess.call(command, env={**os.environ, **environment})
        logs = "".join(server.log.read_text(errors="replace") for server in servers)
        if any(shard.password in logs for shard in shards):
            sys.exit("with_cluster: the password of a shard is in a log of PostgreSQL")
        return ended
    finally:
        if pooler:
            pooler.end()
        for server in servers:
            server.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
