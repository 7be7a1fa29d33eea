-- Rate limits and daily quotas that several servers keep together: each leases a few requests at a time. Servers on
-- SQLite keep them in memory; the tables are here so that one set of statements serves both databases.

-- What is left of a key's rate, in millionths of a request, when it was last leased from.
CREATE TABLE rate_bucket (
    key_id  TEXT    NOT NULL PRIMARY KEY,
    level   INTEGER NOT NULL,
    at      INTEGER NOT NULL,
    -- Requests of the latest lease.
    granted INTEGER NOT NULL
);

-- What has been leased of an application's requests of a day.
CREATE TABLE day_budget (
    application_id TEXT    NOT NULL REFERENCES application (id) ON DELETE CASCADE,
    -- Days since 1970, in UTC.
    day            INTEGER NOT NULL,
    taken          INTEGER NOT NULL,
    -- Requests of the latest lease.
    granted        INTEGER NOT NULL,
    PRIMARY KEY (application_id, day)
);
