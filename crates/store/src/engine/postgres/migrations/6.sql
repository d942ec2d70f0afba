-- The time at which the template was learned. It was the time of the row's first transaction.
ALTER TABLE templates ALTER COLUMN trained DROP DEFAULT, ALTER COLUMN trained DROP NOT NULL;
UPDATE templates SET trained = CAST(template->>'learned' AS timestamptz);
