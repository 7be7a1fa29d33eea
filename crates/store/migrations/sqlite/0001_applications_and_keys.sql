-- Marks the file as Kaisatsu's own ("KSTU"), for file(1) and for people.
PRAGMA application_id = 1263752277;

CREATE TABLE application (
    id          TEXT    NOT NULL PRIMARY KEY,
    name        TEXT    NOT NULL UNIQUE,
    created_at  INTEGER NOT NULL,
    disabled_at INTEGER
) STRICT;

CREATE TABLE api_key (
    id             TEXT    NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL REFERENCES application (id),
    digest         BLOB    NOT NULL UNIQUE,
    hint           TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER,
    disabled_at    INTEGER,
    -- The value of key_revision at the key's last change: replicas ask for what is newer than they know.
    revision       INTEGER NOT NULL
) STRICT;

CREATE INDEX api_key_by_application ON api_key (application_id);
CREATE INDEX api_key_by_revision ON api_key (revision);

-- One row. Every change of a key raises it first, which also puts concurrent writers in a line.
CREATE TABLE key_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    INTEGER NOT NULL
) STRICT;

INSERT INTO key_revision (only_row, value) VALUES (1, 0);
