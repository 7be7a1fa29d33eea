-- The thumbnails of images of collections and of items of the catalogue are blobs like users' images, and have an owner
-- like them. It is no application: nobody deletes it, no key is its own, and as one that is deleted no list shows it.
INSERT INTO application (id, name, created_at, disabled_at, deleted_at) VALUES ('public', ' public', 0, 0, 0);

-- The SHA-256 of the thumbnail; nothing where there is none, as for everything that was added before.
ALTER TABLE collection_image ADD COLUMN thumbnail BYTEA;
ALTER TABLE catalogue_item ADD COLUMN thumbnail BYTEA;
CREATE INDEX collection_image_by_thumbnail ON collection_image (thumbnail) WHERE thumbnail IS NOT NULL;
CREATE INDEX catalogue_item_by_thumbnail ON catalogue_item (thumbnail) WHERE thumbnail IS NOT NULL;
