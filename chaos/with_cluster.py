#!/usr/bin/env python3
"""Runs a command beside three PostgreSQL 17 servers of Debian 13 with pgbouncer in front of them, in transaction mode.

    chaos/with_cluster.py cargo test --package kaisatsu-store

The command finds the address of pgbouncer in KAISATSU_TEST_POSTGRES, as it finds that of PostgreSQL below
tools/with-postgres; the user there may create databases.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from pooler import Pooler
from postgres import Group, install_from_debian


def main() -> int:
    command = sys.argv[1:]
    if not command:
        sys.exit(__doc__)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the clean-up below runs
    install = install_from_debian()
    folder = Path(tempfile.mkdtemp(prefix="kaisatsu-cluster-"))
    folder.chmod(0o755)
    postgres = pooler = None
    try:
        postgres = Group(install, folder, 3, small=False)
        pooler = Pooler(folder, postgres, postgres.primary.port)
        address = postgres.address(pooler.port)
        return subprocess.call(command, env={**os.environ, "KAISATSU_TEST_POSTGRES": address})
    finally:
        if pooler:
            pooler.end()
        if postgres:
            postgres.end()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
