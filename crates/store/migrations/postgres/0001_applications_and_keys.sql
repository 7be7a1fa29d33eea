CREATE TABLE application (
    id          TEXT   NOT NULL PRIMARY KEY,
    name        TEXT   NOT NULL UNIQUE,
    created_at  BIGINT NOT NULL,
    disabled_at BIGINT
);

CREATE TABLE api_key (
    id             TEXT   NOT NULL PRIMARY KEY,
    application_id TEXT   NOT NULL REFERENCES application (id),
    digest         BYTEA  NOT NULL UNIQUE,
    hint           TEXT   NOT NULL,
    created_at     BIGINT NOT NULL,
    expires_at     BIGINT,
    disabled_at    BIGINT,
    -- The value of key_revision at the key's last change: replicas ask for what is newer than they know.
    revision       BIGINT NOT NULL
);

CREATE INDEX api_key_by_application ON api_key (application_id);
CREATE INDEX api_key_by_revision ON api_key (revision);

-- One row. Every change of a key raises it first; its row lock, held to the commit, puts concurrent writers in a
-- line, so that no replica can see a later revision before an earlier one.
CREATE TABLE key_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    BIGINT NOT NULL
);

INSERT INTO key_revision (only_row, value) VALUES (1, 0);
