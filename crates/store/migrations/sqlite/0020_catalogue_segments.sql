-- Most of a large catalogue lies in segments: files in the storage for images that are never changed. A segment has every
-- item whose latest change, when the segment was written, was in a range of (revision, number); also the removed ones, by
-- number. What changed later is in a later segment, or is read from catalogue_item.
CREATE TABLE catalogue_segment (
    number        INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The blob of the reserved application 'public'. Its bytes are complete before this row is there.
    sha256        BLOB NOT NULL UNIQUE,
    size          INTEGER NOT NULL,
    -- The range: what changed after the first pair, up to the second.
    from_revision INTEGER NOT NULL,
    from_item     INTEGER NOT NULL,
    to_revision   INTEGER NOT NULL,
    to_item       INTEGER NOT NULL,
    -- Its items, and those of them that can be found: without removed ones, and with a picture.
    entries       INTEGER NOT NULL,
    items         INTEGER NOT NULL,
    created_at    INTEGER NOT NULL
);

-- One row. Who writes segments, so that two do not do the same work.
CREATE TABLE catalogue_segment_lease (
    only_row   INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    holder     TEXT    NOT NULL,
    expires_at INTEGER NOT NULL
);

INSERT INTO catalogue_segment_lease (only_row, holder, expires_at) VALUES (1, '', 0);
