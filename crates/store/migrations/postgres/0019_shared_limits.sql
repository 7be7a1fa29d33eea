-- Rate limits and daily quotas that all servers keep together: each leases a few requests at a time.

-- What is left of a key's rate, in millionths of a request, when it was last leased from. A lost row is a full bucket, so
-- the table need not survive a crash of the database, and a lease waits for no disk and no standby.
CREATE UNLOGGED TABLE rate_bucket (
    key_id  TEXT    NOT NULL PRIMARY KEY,
    level   BIGINT  NOT NULL,
    at      BIGINT  NOT NULL,
    -- Requests of the latest lease.
    granted BIGINT  NOT NULL
) WITH (fillfactor = 50);

-- What has been leased of an application's requests of a day.
CREATE TABLE day_budget (
    application_id TEXT    NOT NULL REFERENCES application (id) ON DELETE CASCADE,
    -- Days since 1970, in UTC.
    day            BIGINT  NOT NULL,
    taken          BIGINT  NOT NULL,
    -- Requests of the latest lease.
    granted        BIGINT  NOT NULL,
    PRIMARY KEY (application_id, day)
) WITH (fillfactor = 50);
