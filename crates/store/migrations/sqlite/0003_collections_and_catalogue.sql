-- One row. Every change of a collection or the catalogue raises it first, which also puts concurrent writers in a line;
-- replicas ask for what is newer than they know.
CREATE TABLE content_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    INTEGER NOT NULL
) STRICT;

INSERT INTO content_revision (only_row, value) VALUES (1, 0);

-- Public collections of images, for similar image search.
CREATE TABLE collection (
    name           TEXT   NOT NULL PRIMARY KEY,
    -- The model whose vectors it holds, and the hash of its weights: vectors of another one mean nothing here.
    model          TEXT   NOT NULL,
    model_sha256   TEXT   NOT NULL,
    created_at     INTEGER NOT NULL
) STRICT;

CREATE TABLE collection_image (
    number     INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    collection TEXT   NOT NULL REFERENCES collection (name),
    image_id   TEXT   NOT NULL,
    image_url  TEXT   NOT NULL,
    tag        TEXT   NOT NULL,
    -- 32-bit floats in little-endian order; empty when the image was removed.
    vector     BLOB NOT NULL,
    revision   INTEGER NOT NULL,
    removed    INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
    UNIQUE (collection, image_id)
) STRICT;

CREATE INDEX collection_image_by_revision ON collection_image (revision);

-- What object recognition knows: books, food packages and other things.
CREATE TABLE catalogue_item (
    number    INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The operator's own id.
    id        TEXT   NOT NULL UNIQUE,
    category  TEXT   NOT NULL,
    name      TEXT   NOT NULL,
    -- JSON: an object of texts.
    detail    TEXT   NOT NULL,
    image_url TEXT   NOT NULL,
    -- JSON: a list of objects with url, title and imageUrl.
    sites     TEXT   NOT NULL,
    -- Of what the row was made, so that a second import of the same does nothing.
    digest    BLOB NOT NULL,
    revision  INTEGER NOT NULL,
    removed   INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1))
) STRICT;

CREATE INDEX catalogue_item_by_revision ON catalogue_item (revision);

-- Barcodes as thirteen digits.
CREATE TABLE catalogue_code (
    code TEXT   NOT NULL,
    item INTEGER NOT NULL REFERENCES catalogue_item (number),
    PRIMARY KEY (code, item)
) STRICT;

CREATE INDEX catalogue_code_by_item ON catalogue_code (item);

-- Reference pictures as local features: the sketch is read into memory by every replica, the features when an item is
-- verified.
CREATE TABLE catalogue_picture (
    number   INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    item     INTEGER NOT NULL REFERENCES catalogue_item (number),
    sketch   BLOB NOT NULL,
    features BLOB NOT NULL
) STRICT;

CREATE INDEX catalogue_picture_by_item ON catalogue_picture (item);
