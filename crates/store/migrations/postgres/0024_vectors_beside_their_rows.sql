-- A search reads the vectors of the nearest images. Up to 2,000 components they lie in the row itself, uncompressed,
-- rather than compressed or in a table beside. This holds for rows that are written from now on.
ALTER TABLE collection_image ALTER COLUMN vector SET STORAGE EXTERNAL;
ALTER TABLE collection_image SET (toast_tuple_target = 8160);
