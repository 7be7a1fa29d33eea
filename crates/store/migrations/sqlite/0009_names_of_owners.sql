-- Whether an operator switched the key off, so that the owner of its application cannot switch it on.
ALTER TABLE api_key ADD COLUMN disabled_by_operator INTEGER NOT NULL DEFAULT 0;

-- The name of an application that somebody owns. It is unique among those of its owner, and nobody learns from a name
-- that is taken what others have. Such an application has a name of no meaning in the unique column `name`.
ALTER TABLE application ADD COLUMN title TEXT;
