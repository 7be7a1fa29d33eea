-- What was recognised, so that feedback can refer to it. One row is one recognition with all of its candidates: it is
-- there whole or not at all, and costs one statement on either database.
CREATE TABLE recognition (
    id             TEXT    NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL REFERENCES application (id),
    task           TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    created_at     INTEGER NOT NULL,
    expires_at     INTEGER NOT NULL,
    -- JSON: a list of candidates, each with id, subject, name and score.
    items          TEXT    NOT NULL,
    -- The picture as a vector, 32-bit floats in little-endian order, where the task has one.
    vector         BLOB,
    -- The picture as it was sent, only when the operator wants pictures kept.
    picture        BLOB
) STRICT;

CREATE INDEX recognition_by_expiry ON recognition (expires_at);

-- Verdicts. They outlive their recognition, so they carry what is needed of it.
CREATE TABLE feedback (
    recognition_id TEXT    NOT NULL,
    -- Empty for a verdict on the whole result.
    item_id        TEXT    NOT NULL,
    application_id TEXT    NOT NULL REFERENCES application (id),
    task           TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    subject        TEXT    NOT NULL,
    score          REAL,
    is_valid       INTEGER NOT NULL CHECK (is_valid IN (0, 1)),
    comment        TEXT,
    vector         BLOB,
    rated_at       INTEGER NOT NULL,
    PRIMARY KEY (recognition_id, item_id)
) STRICT;

CREATE INDEX feedback_by_application ON feedback (application_id, rated_at);
