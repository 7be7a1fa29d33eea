-- Requests with an Idempotency-Key, and what they were answered.
CREATE TABLE idempotency (
    -- Of the application, its user and the key, which is the caller's own text.
    digest         BYTEA NOT NULL PRIMARY KEY,
    application_id TEXT NOT NULL REFERENCES application (id),
    -- Of the request, so that the same key with another request is noticed.
    request        BYTEA NOT NULL,
    -- What is created takes its id from here. Whoever goes on after a crash finds what was created before it.
    seed           BYTEA NOT NULL,
    created_at     BIGINT NOT NULL,
    -- Until when somebody is at work on it.
    leased_until   BIGINT NOT NULL,
    -- The answer, when there is one.
    status         BIGINT,
    body           BYTEA
);

CREATE INDEX idempotency_by_age ON idempotency (created_at);
CREATE INDEX idempotency_by_application ON idempotency (application_id);
