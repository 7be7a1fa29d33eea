-- Requests with an Idempotency-Key, and what they were answered.
CREATE TABLE idempotency (
    -- Of the application, its user and the key, which is the caller's own text.
    digest         BLOB NOT NULL PRIMARY KEY,
    application_id TEXT NOT NULL REFERENCES application (id),
    -- Of the request, so that the same key with another request is noticed.
    request        BLOB NOT NULL,
    -- What is created takes its id from here. Whoever goes on after a crash finds what was created before it.
    seed           BLOB NOT NULL,
    created_at     INTEGER NOT NULL,
    -- Until when somebody is at work on it.
    leased_until   INTEGER NOT NULL,
    -- The answer, when there is one.
    status         INTEGER,
    body           BLOB
) STRICT;

CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_application ON idempotency (application_id);
