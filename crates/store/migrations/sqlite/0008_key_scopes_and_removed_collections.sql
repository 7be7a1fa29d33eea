-- What a key may do.
ALTER TABLE api_key ADD COLUMN scope TEXT NOT NULL DEFAULT 'standard'
    CHECK (scope IN ('restricted', 'standard', 'operator'));

-- A removed collection keeps its row, because the rows of its removed images refer to it.
ALTER TABLE collection ADD COLUMN removed INTEGER NOT NULL DEFAULT 0 CHECK (removed IN (0, 1));
