-- Most of a large catalogue lies in segments: files in the storage for images that are never changed. A segment has every
-- item whose latest change, when the segment was written, was in a range of (revision, number); also the removed ones, by
-- number. What changed later is in a later segment, or is read from catalogue_item.
CREATE TABLE catalogue_segment (
    number        BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- The blob of the reserved application 'public'. Its bytes are complete before this row is there.
    sha256        BYTEA NOT NULL UNIQUE,
    size          BIGINT NOT NULL,
    -- The range: what changed after the first pair, up to the second.
    from_revision BIGINT NOT NULL,
    from_item     BIGINT NOT NULL,
    to_revision   BIGINT NOT NULL,
    to_item       BIGINT NOT NULL,
    -- Its items, and those of them that can be found: without removed ones, and with a picture.
    entries       BIGINT NOT NULL,
    items         BIGINT NOT NULL,
    created_at    BIGINT NOT NULL
);

-- One row. Who writes segments, so that two do not do the same work.
CREATE TABLE catalogue_segment_lease (
    only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    holder     TEXT    NOT NULL,
    expires_at BIGINT NOT NULL
);

INSERT INTO catalogue_segment_lease (only_row, holder, expires_at) VALUES (1, '', 0);
