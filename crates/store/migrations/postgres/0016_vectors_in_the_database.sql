-- The changes of one collection, in their order: replicas read those of the collections that they hold in memory.
CREATE INDEX collection_image_by_change ON collection_image (collection, revision, number);

-- Large collections are searched in the database. Each has a table and an index of its own, collection_vectors_N with
-- the number of this row, which are made when they are needed: they take the extension pgvector, which is optional.
CREATE TABLE collection_part (
    collection      TEXT   NOT NULL PRIMARY KEY REFERENCES collection (name),
    number          BIGINT GENERATED ALWAYS AS IDENTITY,
    -- Whose vectors these are, and how long they are.
    model_sha256    TEXT   NOT NULL,
    dims            BIGINT NOT NULL,
    -- filling: not searched yet; answering: every replica searches it; leaving: replicas return to their memory.
    state           TEXT   NOT NULL CHECK (state IN ('filling', 'answering', 'leaving')),
    changed_at      BIGINT NOT NULL,
    -- The last change of collection_image that is in the table.
    revision        BIGINT NOT NULL DEFAULT 0,
    image           BIGINT NOT NULL DEFAULT 0,
    images          BIGINT NOT NULL DEFAULT 0,
    -- A picture whose cosine with the nearest image is below this is like none of them, and how many images there were
    -- when that was learned.
    unlike_below    REAL   NOT NULL DEFAULT 0,
    learned_from    BIGINT NOT NULL DEFAULT 0
);
