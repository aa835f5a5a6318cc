-- Statements with a fixed text. What is put together from a user's filter is in search/clauses.py and
-- search/page.py.

-- read_state --
-- What the file holds; fails if it is no mirror at all.
SELECT schema_version, applied_index, last_seq, worded_place, clean, boot_id FROM mirror;

-- first_state --
INSERT INTO mirror (schema_version, applied_index, last_seq, worded_place, clean, boot_id)
VALUES (?, ?, ?, ?, ?, ?);

-- advance --
-- Ends every transaction of the writer. Changes no row if another file, or another version, was put in the
-- place of ours.
UPDATE mirror SET applied_index = ?, last_seq = ? WHERE schema_version = ?;

-- mark --
UPDATE mirror SET clean = ?, boot_id = ?;

-- delete_jobs --
-- Triggers take along what hangs on a job. The ids come as one JSON array.
DELETE FROM jobs WHERE id IN (SELECT value FROM json_each(?));

-- delete_errors --
-- Before the errors of these jobs are written anew.
DELETE FROM errors WHERE job_id IN (SELECT value FROM json_each(?));

-- delete_error --
DELETE FROM errors WHERE job_id = ? AND number = ?;

-- place_of --
SELECT place FROM jobs WHERE id = ?;

-- is_taken --
SELECT 1 FROM jobs WHERE place = ?;

-- next_words --
-- How far one round of full-text indexing goes.
SELECT max(place), count(*) FROM (SELECT place FROM texts WHERE place > ? ORDER BY place LIMIT ?);

-- add_words --
INSERT INTO fulltext (rowid, queue, payload, tags)
SELECT place, queue, payload, tags FROM words WHERE place > ? AND place <= ? ORDER BY place;

-- advance_words --
UPDATE mirror SET worded_place = ?;

-- all_jobs --
-- In the order of LevelDB's keys, so that the two can be walked side by side. The columns are those of Row.
SELECT :columns, t.payload, t.tags
  FROM jobs j INDEXED BY jobs_id LEFT JOIN texts t ON t.place = j.place
 ORDER BY j.id;

-- all_errors --
SELECT job_id, number, error FROM errors ORDER BY job_id, number;

-- orphans --
-- Texts without a job; a job without its text shows up in `all_jobs`.
SELECT place FROM texts WHERE place NOT IN (SELECT place FROM jobs);

-- miscounted --
-- Failures whose kept count is not what counting their jobs comes to.
SELECT failure, queue, sum(jobs) FROM (
    SELECT failure, queue, state, since_ns, jobs FROM failures
    UNION ALL
    SELECT failure, queue, state, failed_ns - failed_ns % 900000000000, -1 FROM jobs WHERE failure IS NOT NULL
) GROUP BY failure, queue, state, since_ns HAVING sum(jobs) <> 0;

-- lost_words --
-- Jobs that should be in the full-text index and are not, and the other way round. The index has a row of
-- document sizes for everything that is in it.
SELECT place, 'is missing from' FROM texts
 WHERE place <= (SELECT worded_place FROM mirror) AND place NOT IN (SELECT id FROM fulltext_docsize)
UNION ALL
SELECT id, 'should not be in' FROM fulltext_docsize WHERE id NOT IN (SELECT place FROM texts);
