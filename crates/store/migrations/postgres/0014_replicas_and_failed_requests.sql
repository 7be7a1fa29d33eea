-- The servers that use this database, each with what it last said of itself.
CREATE TABLE replica (
    id         TEXT    NOT NULL PRIMARY KEY,
    address    TEXT    NOT NULL,
    version    TEXT    NOT NULL,
    started_at BIGINT  NOT NULL,
    seen_at    BIGINT  NOT NULL,
    -- What works and what does not, as JSON.
    parts      TEXT    NOT NULL
);

-- The latest requests of each application that were not answered with success.
CREATE TABLE failed_request (
    application_id TEXT    NOT NULL REFERENCES application (id),
    failed_at      BIGINT  NOT NULL,
    -- As in X-Request-Id; a caller may choose it, so it need not be unique.
    request_id     TEXT    NOT NULL,
    -- Empty for what the console called.
    key_id         TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    status         BIGINT  NOT NULL,
    code           TEXT    NOT NULL,
    message        TEXT    NOT NULL,
    PRIMARY KEY (application_id, failed_at, request_id)
);

CREATE INDEX failed_request_by_time ON failed_request (failed_at);
