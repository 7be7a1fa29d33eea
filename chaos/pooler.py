"""pgbouncer between the replicas and PostgreSQL, in transaction mode: a connection is lent for one transaction."""

from pathlib import Path

from postgres import USER, Group
from tools import tool


class Pooler(tool("with-pgbouncer").Pooler):
    """In front of a server of `postgres`, or of a link that leads to it."""

    def __init__(self, folder: Path, postgres: Group, database: int) -> None:
        super().__init__(folder, USER, postgres.password, database)
