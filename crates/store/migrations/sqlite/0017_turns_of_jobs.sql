-- When a job of an application was last taken up: the application that has waited longest comes next.
CREATE TABLE job_turn (
    application_id TEXT    NOT NULL PRIMARY KEY REFERENCES application (id) ON DELETE CASCADE,
    taken_at       INTEGER NOT NULL
);
