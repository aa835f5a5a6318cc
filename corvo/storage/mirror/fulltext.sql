-- The full-text index. Optional: a SQLite without FTS5 gets a mirror without this file, and a slower search.
--
-- It holds no text of its own (content = ''), only which words occur in which job, so taking a job out of it
-- takes the same words that were put in. That is why `words` is a view, and the only way in and out. New jobs
-- wait until `worded_place` has passed them; triggers see to all that happens to a job after that.

CREATE VIRTUAL TABLE fulltext USING fts5 (queue, payload, tags, content = '', detail = column);

-- Every round of indexing leaves a list of words, which are merged by eights instead of fours: a quarter less
-- work in all, and a question asks a few lists more.
INSERT INTO fulltext (fulltext, rank) VALUES ('automerge', 8);

CREATE TRIGGER fulltext_deleted BEFORE DELETE ON jobs
WHEN old.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (fulltext, rowid, queue, payload, tags)
    SELECT 'delete', place, queue, payload, tags FROM words WHERE place = old.place;
END;

CREATE TRIGGER fulltext_leaves_queue BEFORE UPDATE OF queue ON jobs
WHEN old.queue <> new.queue AND old.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (fulltext, rowid, queue, payload, tags)
    SELECT 'delete', place, queue, payload, tags FROM words WHERE place = old.place;
END;

CREATE TRIGGER fulltext_enters_queue AFTER UPDATE OF queue ON jobs
WHEN old.queue <> new.queue AND old.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (rowid, queue, payload, tags)
    SELECT place, queue, payload, tags FROM words WHERE place = new.place;
END;

-- A job that was restored from a backup may be older than those already indexed.
CREATE TRIGGER fulltext_late AFTER INSERT ON texts
WHEN new.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (rowid, queue, payload, tags)
    SELECT place, queue, payload, tags FROM words WHERE place = new.place;
END;

-- A payload changes only when it is sealed, or sealed anew; then its words go.
CREATE TRIGGER fulltext_text_leaves BEFORE UPDATE OF payload ON texts
WHEN old.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (fulltext, rowid, queue, payload, tags)
    SELECT 'delete', place, queue, payload, tags FROM words WHERE place = old.place;
END;

CREATE TRIGGER fulltext_text_enters AFTER UPDATE OF payload ON texts
WHEN old.place <= (SELECT worded_place FROM mirror) BEGIN
    INSERT INTO fulltext (rowid, queue, payload, tags)
    SELECT place, queue, payload, tags FROM words WHERE place = new.place;
END;
