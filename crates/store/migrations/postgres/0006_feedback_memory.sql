-- What made the vectors: those of other weights mean nothing beside them.
ALTER TABLE recognition ADD COLUMN engine TEXT NOT NULL DEFAULT '';

-- What a verdict is about: one row a recognition that has one. It outlives the recognition, whose time ends, and goes with
-- its dataset.
CREATE TABLE exemplar (
    recognition_id TEXT    NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL REFERENCES application (id),
    task           TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    dataset_id     TEXT    REFERENCES dataset (id) ON DELETE CASCADE,
    -- When it was recognised.
    created_at     BIGINT  NOT NULL,
    -- JSON: a list of candidates, as in recognition.
    items          TEXT    NOT NULL,
    -- What made the vector, as in recognition.
    engine         TEXT    NOT NULL DEFAULT '',
    -- The picture as a vector, as in recognition.
    vector         BYTEA
);

CREATE INDEX exemplar_by_dataset ON exemplar (dataset_id) WHERE dataset_id IS NOT NULL;

INSERT INTO exemplar (recognition_id, application_id, task, model, dataset_id, created_at, items, vector)
SELECT r.id, r.application_id, r.task, r.model, r.dataset_id, r.created_at, r.items, r.vector
FROM recognition r WHERE r.id IN (SELECT recognition_id FROM feedback);

-- Of a recognition that is forgotten this much is left.
INSERT INTO exemplar (recognition_id, application_id, task, model, dataset_id, created_at, items, vector)
SELECT f.recognition_id, f.application_id, f.task, f.model, f.dataset_id, f.rated_at, '[]', f.vector
FROM feedback f WHERE f.recognition_id NOT IN (SELECT recognition_id FROM exemplar)
AND f.item_id = (SELECT MIN(o.item_id) FROM feedback o WHERE o.recognition_id = f.recognition_id);

-- active: it acts on what is recognised; retired: newer ones took its place; held: the guard took it for harmful;
-- revoked: the operator took it back.
ALTER TABLE feedback DROP COLUMN vector;
ALTER TABLE feedback ADD COLUMN revision BIGINT NOT NULL DEFAULT 1;
ALTER TABLE feedback ADD COLUMN standing TEXT NOT NULL DEFAULT 'active'
    CHECK (standing IN ('active', 'retired', 'held', 'revoked'));

CREATE INDEX feedback_by_revision ON feedback (revision, recognition_id, item_id);
CREATE INDEX feedback_by_subject ON feedback (application_id, task, model, subject, standing, rated_at);
CREATE INDEX feedback_by_age ON feedback (rated_at, recognition_id, item_id);

-- One row. Every change of feedback raises it first, which also puts concurrent writers in a line; replicas ask for what
-- is newer than they know.
CREATE TABLE feedback_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    BIGINT NOT NULL
);

INSERT INTO feedback_revision (only_row, value) VALUES (1, 1);

-- What the guard held back, and why.
CREATE TABLE feedback_report (
    number         BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at             BIGINT  NOT NULL,
    -- Nothing for the feedback that acts for all applications.
    application_id TEXT    REFERENCES application (id),
    task           TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    -- How many verdicts were held.
    held           BIGINT  NOT NULL,
    -- How many recognitions it judged them by, and how many of these they made better and worse.
    judged         BIGINT  NOT NULL,
    better         BIGINT  NOT NULL,
    worse          BIGINT  NOT NULL
);
