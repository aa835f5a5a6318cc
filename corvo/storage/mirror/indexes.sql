-- Every index costs on the way of a write, so each says what it is for. All of them end in `place`.
-- A new file gets them after its rows: that is twice as fast.

-- To find a job by its id: upserts, deletions, `job_id_prefix`.
CREATE UNIQUE INDEX jobs_id ON jobs (id);

-- A queue in order of creation, whatever the states. It changes only when a job comes, goes or moves.
CREATE INDEX jobs_queue ON jobs (queue);

-- Jobs of namespaces other than `default`: whether there are any. Others cost nothing.
CREATE INDEX jobs_namespaced ON jobs (queue) WHERE instr(queue, char(31)) > 0;

-- A queue in order of creation, one run per state; several states are merged.
CREATE INDEX jobs_queue_state ON jobs (queue, state);

-- All queues in order of creation, one run per state. Dead letters, what is active, what is held.
CREATE INDEX jobs_state ON jobs (state);

-- The sorts. Times that most jobs do not have cost nothing for those.
CREATE INDEX jobs_priority ON jobs (priority);
CREATE INDEX jobs_attempt ON jobs (attempt);
CREATE INDEX jobs_scheduled ON jobs (scheduled_ns) WHERE scheduled_ns IS NOT NULL;
CREATE INDEX jobs_started ON jobs (started_ns) WHERE started_ns IS NOT NULL;
CREATE INDEX jobs_completed ON jobs (completed_ns) WHERE completed_ns IS NOT NULL;
CREATE INDEX jobs_failed ON jobs (failed_ns) WHERE failed_ns IS NOT NULL;

-- Few jobs have these, and whoever asks for one wants exactly those.
CREATE INDEX jobs_unique ON jobs (unique_key) WHERE unique_key IS NOT NULL;
CREATE INDEX jobs_batch ON jobs (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX jobs_parent ON jobs (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX jobs_group ON jobs (group_label) WHERE group_label IS NOT NULL;
CREATE INDEX jobs_chain ON jobs (chain_id) WHERE chain_id IS NOT NULL;
-- A failure's jobs by the time they failed; with all that groups of failures are made of.
CREATE INDEX jobs_failure ON jobs (failure, failed_ns, queue, state) WHERE failure IS NOT NULL;
CREATE INDEX jobs_erred ON jobs (error_count > 0) WHERE error_count > 0;
