-- The changes of one collection, in their order: a server reads those of each collection that it holds in memory.
-- Vectors are searched in the database on PostgreSQL only.
CREATE INDEX collection_image_by_change ON collection_image (collection, revision, number);
