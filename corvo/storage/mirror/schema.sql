-- The tables of the mirror. Bump SCHEMA_VERSION (database.py) with any change here, in indexes.sql, in
-- fulltext.sql or in rows.py: a mirror of another version is thrown away and built anew.

-- One row per job: what filters and sorts need as columns, and the whole document for the answer.
-- `place` is the time of creation in nanoseconds, which no two jobs of a shard share. Being the row id it
-- is part of every index for free, so each index below gives an order without ties.
CREATE TABLE jobs (
    place        INTEGER PRIMARY KEY,
    id           TEXT    NOT NULL,
    queue        TEXT    NOT NULL,
    state        INTEGER NOT NULL,
    priority     INTEGER NOT NULL,
    attempt      INTEGER NOT NULL,
    scheduled_ns INTEGER,
    started_ns   INTEGER,
    completed_ns INTEGER,
    failed_ns    INTEGER,
    expire_ns    INTEGER,
    unique_key   TEXT,
    batch_id     TEXT,
    worker_id    TEXT,
    parent_id    TEXT,
    -- The label that producers call `group`, which is a word of SQL.
    group_label  TEXT,
    chain_id     TEXT,
    error_count  INTEGER NOT NULL,
    -- Of dead and retrying jobs: what their last error has in common with others (core/failures.py).
    failure      TEXT,
    document     BLOB    NOT NULL
);

-- What a job is born with and keeps. A table of its own, because SQLite writes a changed row as a whole
-- and a job changes several times.
CREATE TABLE texts (
    place   INTEGER PRIMARY KEY,
    payload TEXT NOT NULL,
    tags    TEXT
);

-- Every failure of every job, by the number the state machine gave it.
CREATE TABLE errors (
    job_id TEXT    NOT NULL,
    number INTEGER NOT NULL,
    error  TEXT    NOT NULL,
    PRIMARY KEY (job_id, number)
) WITHOUT ROWID;

-- How many jobs each failure has, by quarter of an hour: counted as they come and go, because nobody can
-- wait for a hundred thousand to be counted.
CREATE TABLE failures (
    failure  TEXT    NOT NULL,
    queue    TEXT    NOT NULL,
    state    INTEGER NOT NULL,
    since_ns INTEGER NOT NULL,
    jobs     INTEGER NOT NULL,
    PRIMARY KEY (failure, queue, state, since_ns)
) WITHOUT ROWID;

-- What this file holds. One row.
CREATE TABLE mirror (
    schema_version INTEGER NOT NULL,
    -- The last log entry, and the last event, that is in the tables.
    applied_index  INTEGER NOT NULL,
    last_seq       INTEGER NOT NULL,
    -- Jobs up to this place are in the full-text index.
    worded_place   INTEGER NOT NULL,
    -- Whether the file was closed by its writer, and on which boot of the machine it was last open.
    clean          INTEGER NOT NULL,
    boot_id        TEXT    NOT NULL
);

-- What full-text search sees of a job. An escaped line break would give its letter to the word after it, and a
-- sealed payload (core/sealing/form.py: its first character is 1 or 2) has no words.
-- Its queue has the name that its owner knows; `qualified` is what decides who may see the job.
CREATE VIEW words (place, queue, payload, tags, qualified) AS
SELECT t.place,
       substr(j.queue, instr(j.queue, char(31)) + 1),
       CASE WHEN unicode(t.payload) < 3 THEN ''
            WHEN instr(t.payload, '\') = 0 THEN t.payload
            ELSE replace(replace(replace(t.payload, '\n', ' '), '\t', ' '), '\r', ' ') END,
       t.tags,
       j.queue
  FROM texts t JOIN jobs j ON j.place = t.place;

CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
    DELETE FROM texts WHERE place = old.place;
    DELETE FROM errors WHERE job_id = old.id;
END;

CREATE TRIGGER failures_added AFTER INSERT ON jobs WHEN new.failure IS NOT NULL BEGIN
    INSERT INTO failures
    VALUES (new.failure, new.queue, new.state, new.failed_ns - new.failed_ns % 900000000000, 1)
    ON CONFLICT DO UPDATE SET jobs = jobs + 1;
END;

CREATE TRIGGER failures_removed AFTER DELETE ON jobs WHEN old.failure IS NOT NULL BEGIN
    UPDATE failures SET jobs = jobs - 1
     WHERE failure = old.failure AND queue = old.queue AND state = old.state
       AND since_ns = old.failed_ns - old.failed_ns % 900000000000;
    DELETE FROM failures
     WHERE failure = old.failure AND queue = old.queue AND state = old.state
       AND since_ns = old.failed_ns - old.failed_ns % 900000000000 AND jobs = 0;
END;

CREATE TRIGGER failures_left AFTER UPDATE ON jobs WHEN old.failure IS NOT NULL BEGIN
    UPDATE failures SET jobs = jobs - 1
     WHERE failure = old.failure AND queue = old.queue AND state = old.state
       AND since_ns = old.failed_ns - old.failed_ns % 900000000000;
    DELETE FROM failures
     WHERE failure = old.failure AND queue = old.queue AND state = old.state
       AND since_ns = old.failed_ns - old.failed_ns % 900000000000 AND jobs = 0;
END;

CREATE TRIGGER failures_entered AFTER UPDATE ON jobs WHEN new.failure IS NOT NULL BEGIN
    INSERT INTO failures
    VALUES (new.failure, new.queue, new.state, new.failed_ns - new.failed_ns % 900000000000, 1)
    ON CONFLICT DO UPDATE SET jobs = jobs + 1;
END;
