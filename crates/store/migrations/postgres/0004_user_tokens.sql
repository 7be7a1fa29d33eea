-- What a user of an application comes with. The secret itself is not here: only its hash.
CREATE TABLE user_token (
    digest         BYTEA   NOT NULL PRIMARY KEY,
    application_id TEXT    NOT NULL REFERENCES application (id),
    -- The application's own name for its user.
    user_id        TEXT    NOT NULL,
    created_at     BIGINT  NOT NULL,
    expires_at     BIGINT  NOT NULL,
    revoked_at     BIGINT
);

CREATE INDEX user_token_by_user ON user_token (application_id, user_id, created_at);
CREATE INDEX user_token_by_expiry ON user_token (expires_at);
