-- People who use the console.
CREATE TABLE account (
    id           TEXT    NOT NULL PRIMARY KEY,
    -- In small letters.
    email        TEXT    NOT NULL UNIQUE,
    -- Argon2id, as a PHC string.
    password     TEXT    NOT NULL,
    role         TEXT    NOT NULL CHECK (role IN ('operator', 'member')),
    state        TEXT    NOT NULL CHECK (state IN ('unconfirmed', 'waiting', 'active', 'disabled')),
    created_at   BIGINT  NOT NULL,
    signed_in_at BIGINT
);

-- Browsers that are signed in. The secret itself is not here: only its hash.
CREATE TABLE session (
    digest     BYTEA   NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    created_at BIGINT  NOT NULL,
    seen_at    BIGINT  NOT NULL,
    expires_at BIGINT  NOT NULL,
    -- What the browser says it is.
    agent      TEXT    NOT NULL
);

CREATE INDEX session_by_account ON session (account_id);
CREATE INDEX session_by_expiry ON session (expires_at);

-- Links in letters. Each works once.
CREATE TABLE account_link (
    digest     BYTEA   NOT NULL PRIMARY KEY,
    account_id TEXT    NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    purpose    TEXT    NOT NULL CHECK (purpose IN ('confirm', 'reset')),
    -- The hash of the password that whoever confirms the address has chosen: another may have tried before.
    password   TEXT,
    expires_at BIGINT  NOT NULL
);

CREATE INDEX account_link_by_account ON account_link (account_id);

-- How often signing in failed lately, by the hash of the address, whether or not there is such an account.
CREATE TABLE sign_in_failure (
    subject  BYTEA   NOT NULL PRIMARY KEY,
    count    BIGINT  NOT NULL,
    first_at BIGINT  NOT NULL
);

-- One row. Whoever changes who is an operator writes it first, which puts such changes in a line.
CREATE TABLE console (
    only_row     BIGINT  NOT NULL PRIMARY KEY CHECK (only_row = 1),
    registration TEXT    NOT NULL CHECK (registration IN ('open', 'approval', 'closed'))
);

INSERT INTO console (only_row, registration) VALUES (1, 'open');

-- Whose an application is; nobody's when it was made on the command line.
ALTER TABLE application ADD COLUMN account_id TEXT REFERENCES account (id) ON DELETE SET NULL;
-- How many requests a day it may make; the server's default when nothing is said.
ALTER TABLE application ADD COLUMN requests_per_day BIGINT;
-- Whether an operator switched it off, so that its owner cannot switch it on.
ALTER TABLE application ADD COLUMN disabled_by_operator BIGINT NOT NULL DEFAULT 0;
-- Deleted for everybody who asks; what it owns is being removed.
ALTER TABLE application ADD COLUMN deleted_at BIGINT;
CREATE INDEX application_by_account ON application (account_id);

-- The account whose console made this key for itself, for an hour; no such key is listed.
ALTER TABLE api_key ADD COLUMN pass_of TEXT;
ALTER TABLE api_key ADD COLUMN last_used_at BIGINT;
CREATE INDEX api_key_by_pass ON api_key (pass_of) WHERE pass_of IS NOT NULL;

-- What was called, by the hour.
CREATE TABLE usage (
    application_id TEXT    NOT NULL REFERENCES application (id),
    -- When the hour begins.
    hour           BIGINT  NOT NULL,
    -- Empty for what the console called.
    key_id         TEXT    NOT NULL,
    operation      TEXT    NOT NULL,
    -- answered, refused: the caller's fault, failed: ours, turned_away: too many.
    outcome        TEXT    NOT NULL CHECK (outcome IN ('answered', 'refused', 'failed', 'turned_away')),
    -- How long it took, as the number of a class of times.
    class          BIGINT  NOT NULL,
    requests       BIGINT  NOT NULL,
    -- How long all of them took.
    micros         BIGINT  NOT NULL,
    PRIMARY KEY (application_id, hour, key_id, operation, outcome, class)
);

CREATE INDEX usage_by_hour ON usage (hour);
CREATE INDEX recognition_by_application ON recognition (application_id);
CREATE INDEX exemplar_by_application ON exemplar (application_id);
