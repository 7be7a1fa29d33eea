-- Other PostgreSQL servers, on which the vectors of large collections lie. Each is the foreign server
-- kaisatsu_shard_NAME: its address and credentials are in PostgreSQL's own catalogue, and nowhere else.
CREATE TABLE shard (
    name     TEXT   NOT NULL PRIMARY KEY,
    -- The schema there that belongs to this database.
    schema   TEXT   NOT NULL,
    -- active: has a share of every part; leaving: parts move away from it; lost: the same, and it is not asked any more.
    state    TEXT   NOT NULL CHECK (state IN ('active', 'leaving', 'lost')),
    added_at BIGINT NOT NULL
);

-- The shards on which the table of a part has its partitions, in their order. None: it is a plain table of this server.
ALTER TABLE collection_part ADD COLUMN shards TEXT[] NOT NULL DEFAULT '{}';

-- A collection that moves to other servers has two parts: one is filled while the other answers.
ALTER TABLE collection_part DROP CONSTRAINT collection_part_pkey;
ALTER TABLE collection_part ADD PRIMARY KEY (number);
CREATE UNIQUE INDEX collection_part_by_state ON collection_part (collection, state) WHERE state <> 'leaving';
