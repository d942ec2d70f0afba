-- A cluster of near-duplicates is within one partition. In version 1 it could span several.
DO $$
BEGIN
    IF EXISTS (SELECT FROM dedup) THEN
        RAISE EXCEPTION 'the corpus is of an earlier version: move it to a folder with `gleaner migrate`, and from '
            'there to an empty database';
    END IF;
END $$;
DROP TABLE IF EXISTS bands;
