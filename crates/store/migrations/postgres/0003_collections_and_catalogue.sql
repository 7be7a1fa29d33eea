-- One row. Every change of a collection or the catalogue raises it first, which also puts concurrent writers in a line;
-- replicas ask for what is newer than they know.
CREATE TABLE content_revision (
    only_row INTEGER NOT NULL PRIMARY KEY CHECK (only_row = 1),
    value    BIGINT NOT NULL
);

INSERT INTO content_revision (only_row, value) VALUES (1, 0);

-- Public collections of images, for similar image search.
CREATE TABLE collection (
    name           TEXT   NOT NULL PRIMARY KEY,
    -- The model whose vectors it holds, and the hash of its weights: vectors of another one mean nothing here.
    model          TEXT   NOT NULL,
    model_sha256   TEXT   NOT NULL,
    created_at     BIGINT NOT NULL
);

CREATE TABLE collection_image (
    number     BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    collection TEXT   NOT NULL REFERENCES collection (name),
    image_id   TEXT   NOT NULL,
    image_url  TEXT   NOT NULL,
    tag        TEXT   NOT NULL,
    -- 32-bit floats in little-endian order; empty when the image was removed.
    vector     BYTEA NOT NULL,
    revision   BIGINT NOT NULL,
    removed    BIGINT NOT NULL DEFAULT 0 CHECK (removed IN (0, 1)),
    UNIQUE (collection, image_id)
);

CREATE INDEX collection_image_by_revision ON collection_image (revision);

-- What object recognition knows: books, food packages and other things.
CREATE TABLE catalogue_item (
    number    BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
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
    digest    BYTEA NOT NULL,
    revision  BIGINT NOT NULL,
    removed   BIGINT NOT NULL DEFAULT 0 CHECK (removed IN (0, 1))
);

CREATE INDEX catalogue_item_by_revision ON catalogue_item (revision);

-- Barcodes as thirteen digits.
CREATE TABLE catalogue_code (
    code TEXT   NOT NULL,
    item BIGINT NOT NULL REFERENCES catalogue_item (number),
    PRIMARY KEY (code, item)
);

CREATE INDEX catalogue_code_by_item ON catalogue_code (item);

-- Reference pictures as local features: the sketch is read into memory by every replica, the features when an item is
-- verified.
CREATE TABLE catalogue_picture (
    number   BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    item     BIGINT NOT NULL REFERENCES catalogue_item (number),
    sketch   BYTEA NOT NULL,
    features BYTEA NOT NULL
);

CREATE INDEX catalogue_picture_by_item ON catalogue_picture (item);
