-- A dataset that is changed gets a new version, which is built in the background while the one before it answers. A
-- version is a row of its own that no list shows: it has images, a job, a phase and a probe like a dataset. The first
-- version is the dataset's own row.
ALTER TABLE dataset ADD COLUMN version_of TEXT REFERENCES dataset (id) ON DELETE CASCADE;
ALTER TABLE dataset ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
-- The version that answers (nothing: the first), the one before it, and the one that is being built or has failed.
ALTER TABLE dataset ADD COLUMN current_version TEXT;
ALTER TABLE dataset ADD COLUMN previous_version TEXT;
ALTER TABLE dataset ADD COLUMN next_version TEXT;
CREATE INDEX dataset_versions ON dataset (version_of) WHERE version_of IS NOT NULL;

-- Whether the user has said that the tag is right.
ALTER TABLE dataset_image ADD COLUMN confirmed INTEGER NOT NULL DEFAULT 0;
