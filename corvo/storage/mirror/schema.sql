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
    chain_id     TEXT,
    error_count  INTEGER NOT NULL,
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

-- What full-text search sees of a job. An escaped line break would give its letter to the word after it.
CREATE VIEW words (place, queue, payload, tags) AS
SELECT t.place,
       j.queue,
       CASE WHEN instr(t.payload, '\') = 0 THEN t.payload
            ELSE replace(replace(replace(t.payload, '\n', ' '), '\t', ' '), '\r', ' ') END,
       t.tags
  FROM texts t JOIN jobs j ON j.place = t.place;

CREATE TRIGGER jobs_deleted AFTER DELETE ON jobs BEGIN
    DELETE FROM texts WHERE place = old.place;
    DELETE FROM errors WHERE job_id = old.id;
END;
