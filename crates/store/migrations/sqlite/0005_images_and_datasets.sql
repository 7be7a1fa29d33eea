-- One row a user. Whoever changes what a user owns writes it first, which puts such changes in a line: a limit that was
-- checked still holds when the change is made.
CREATE TABLE user_account (
    application_id TEXT    NOT NULL REFERENCES application (id),
    user_id        TEXT    NOT NULL,
    changed_at     INTEGER NOT NULL,
    PRIMARY KEY (application_id, user_id)
) STRICT;

-- The bytes that are kept outside of the database, known by their contents and by whose they are.
CREATE TABLE blob (
    application_id TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    sha256         BLOB    NOT NULL,
    size           INTEGER NOT NULL,
    -- writing: about to be written, or half written; there: whole; loose: whole, and perhaps nobody's any more;
    -- doomed: being removed, and not to be used.
    state          TEXT    NOT NULL CHECK (state IN ('writing', 'there', 'loose', 'doomed')),
    touched_at     INTEGER NOT NULL,
    PRIMARY KEY (application_id, user_id, sha256),
    FOREIGN KEY (application_id, user_id) REFERENCES user_account (application_id, user_id)
) STRICT;

CREATE INDEX blob_to_sweep ON blob (state, touched_at) WHERE state <> 'there';

-- The image storage area.
CREATE TABLE user_image (
    id             TEXT    NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    sha256         BLOB    NOT NULL,
    width          INTEGER NOT NULL,
    height         INTEGER NOT NULL,
    tag            TEXT,
    name           TEXT,
    created_at     INTEGER NOT NULL,
    UNIQUE (application_id, user_id, sha256),
    FOREIGN KEY (application_id, user_id, sha256) REFERENCES blob (application_id, user_id, sha256)
) STRICT;

CREATE INDEX user_image_by_age ON user_image (application_id, user_id, created_at, id);

CREATE TABLE dataset (
    id             TEXT    NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    phase          TEXT    NOT NULL CHECK (phase IN ('queued', 'building', 'ready', 'failed')),
    -- Since when it is in this phase.
    changed_at     INTEGER NOT NULL,
    created_at     INTEGER NOT NULL,
    -- The model whose vectors it holds, and the hash of its weights.
    model          TEXT    NOT NULL,
    model_sha256   TEXT    NOT NULL,
    -- Why it failed.
    reason         TEXT,
    -- What tells its tags apart, and how well: a head as crates/vision writes it, and a report in JSON.
    head           BLOB,
    report         TEXT,
    FOREIGN KEY (application_id, user_id) REFERENCES user_account (application_id, user_id)
) STRICT;

CREATE INDEX dataset_by_age ON dataset (application_id, user_id, created_at, id);

CREATE TABLE dataset_image (
    dataset_id     TEXT    NOT NULL REFERENCES dataset (id) ON DELETE CASCADE,
    position       INTEGER NOT NULL,
    image_id       TEXT    NOT NULL,
    -- Where it comes from; nothing for an image of the storage area.
    url            TEXT,
    tag            TEXT    NOT NULL,
    outcome        TEXT    NOT NULL,
    detail         TEXT,
    attempts       INTEGER NOT NULL DEFAULT 0,
    retry_at       INTEGER NOT NULL DEFAULT 0,
    -- The dataset is an owner of the bytes from the moment it names them.
    application_id TEXT    NOT NULL,
    user_id        TEXT    NOT NULL,
    sha256         BLOB,
    -- 32-bit floats in little-endian order.
    vector         BLOB,
    PRIMARY KEY (dataset_id, position),
    FOREIGN KEY (application_id, user_id, sha256) REFERENCES blob (application_id, user_id, sha256)
) STRICT;

CREATE INDEX dataset_image_pending ON dataset_image (dataset_id, retry_at, position) WHERE outcome = 'pending';
CREATE INDEX dataset_image_by_outcome ON dataset_image (dataset_id, outcome);
CREATE INDEX dataset_image_by_blob ON dataset_image (application_id, user_id, sha256);
CREATE INDEX dataset_image_by_id ON dataset_image (image_id);

-- Datasets that somebody has to work on. A lease that is not renewed is over: whoever held it is gone.
CREATE TABLE dataset_job (
    dataset_id  TEXT    NOT NULL PRIMARY KEY REFERENCES dataset (id) ON DELETE CASCADE,
    run_at      INTEGER NOT NULL,
    lease       TEXT,
    lease_until INTEGER NOT NULL DEFAULT 0,
    -- How often it was taken up since it last came forward.
    attempts    INTEGER NOT NULL DEFAULT 0
) STRICT;

CREATE INDEX dataset_job_by_time ON dataset_job (run_at);

-- What was recognised with a dataset goes when the dataset goes.
ALTER TABLE recognition ADD COLUMN dataset_id TEXT REFERENCES dataset (id) ON DELETE CASCADE;
ALTER TABLE feedback ADD COLUMN dataset_id TEXT REFERENCES dataset (id) ON DELETE CASCADE;
CREATE INDEX recognition_by_dataset ON recognition (dataset_id) WHERE dataset_id IS NOT NULL;
CREATE INDEX feedback_by_dataset ON feedback (dataset_id) WHERE dataset_id IS NOT NULL;
