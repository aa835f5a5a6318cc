// Generated from the server's /openapi.json by `npm run types`. Do not edit.
export interface paths {
    "/api/v1/ack/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a job
         * @description Complete a job.
         *
         *     A repeated ack of the same lease is answered like the first, with `duplicate:true`.
         */
        post: operations["ack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/ack/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete up to 512 jobs. Unknown, finished and stale ones are reported, not refused
         * @description Complete up to 512 jobs. Unknown, finished and stale ones are reported, not refused.
         */
        post: operations["ack_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/check": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Check everything that must always hold; what `corvo doctor` asks of a running node
         * @description Check everything that must always hold; what `corvo doctor` asks of a running node.
         */
        post: operations["check"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/admin/rebuild-sqlite": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Build the search view anew from the store. It stays usable meanwhile, and loses nothing
         * @description Build the search view anew from the store. It stays usable meanwhile, and loses nothing.
         */
        post: operations["rebuild_sqlite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Open a batch; jobs join it by `batch_id` until it is sealed
         * @description Open a batch; jobs join it by `batch_id` until it is sealed.
         */
        post: operations["open_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/batch/{batch_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a batch is doing
         * @description How a batch is doing.
         */
        get: operations["get_batch"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/batch/{batch_id}/seal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Close a batch to new jobs. If all its jobs have ended, the callback is made now and returned
         * @description Close a batch to new jobs. If all its jobs have ended, the callback is made now and returned.
         */
        post: operations["seal_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/batches": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Batches, newest first
         * @description Batches, newest first.
         */
        get: operations["list_batches"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Bulk tasks of the last day, newest first
         * @description Bulk tasks of the last day, newest first.
         */
        get: operations["list_bulk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/{task_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a bulk task stands, with the first hundred jobs it left alone
         * @description How a bulk task stands, with the first hundred jobs it left alone.
         */
        get: operations["get_bulk"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/{task_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop a bulk task after the step under way. What it has done stays done
         * @description Stop a bulk task after the step under way. What it has done stays done.
         */
        post: operations["cancel_bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/bulk/{task_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How a bulk task gets on (server-sent events), until it ends
         * @description How a bulk task gets on (server-sent events), until it ends.
         */
        get: operations["bulk_progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lifecycle events after a number, oldest first
         * @description Lifecycle events after a number, oldest first.
         */
        get: operations["cluster_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/cluster/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who leads, how far everybody is, and how the write path is doing
         * @description Who leads, how far everybody is, and how the write path is doing.
         */
        get: operations["cluster_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/dead": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs that have failed for good, newest first
         * @description Jobs that have failed for good, newest first.
         */
        get: operations["dead"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/debug/runtime": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures about the process, under the names that bench tools know
         * @description Figures about the process, under the names that bench tools know.
         */
        get: operations["runtime"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/enqueue": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add one job to a queue
         * @description Add one job to a queue.
         *
         *     Answers 201 with the job, or 200 with the id of the job that holds the unique lock. With `jobs` it is a
         *     batch, as `/enqueue/batch`. With `?wait=30s` it answers when the job has ended, with its result, or after
         *     the wait with the state it is in.
         */
        post: operations["enqueue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/enqueue/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Add up to 10,000 jobs, all or none; with `batch`, a callback job follows when all have ended
         * @description Add up to 10,000 jobs, all or none; with `batch`, a callback job follows when all have ended.
         */
        post: operations["enqueue_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A stream of lifecycle events (server-sent events), from now on or from where you were
         * @description A stream of lifecycle events (server-sent events), from now on or from where you were.
         */
        get: operations["events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fail/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Say that an attempt failed
         * @description Say that an attempt failed.
         *
         *     The job is tried again after its backoff, or after `retry_after`; with `retry:false`, or when no attempts
         *     are left, it is dead.
         */
        post: operations["fail"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fetch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim one job, waiting for it if there is none
         * @description Claim one job, waiting for it if there is none.
         *
         *     Answers 204 when the time is over. Keep `lease_token`: ack, fail and heartbeat with it.
         */
        post: operations["fetch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/fetch/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Claim up to `count` jobs, waiting for the first if there is none
         * @description Claim up to `count` jobs, waiting for the first if there is none.
         */
        post: operations["fetch_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/heartbeat": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep the leases of a worker's jobs, and learn which of them to drop
         * @description Keep the leases of a worker's jobs, and learn which of them to drop.
         *
         *     `cancel` means: stop working on it. `progress` and `checkpoint` replace what was stored.
         */
        post: operations["heartbeat"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/info": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The version of the server and of its API
         * @description The version of the server and of its API.
         */
        get: operations["info"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Everything about one job, its errors included; with `wait`, as soon as it has ended
         * @description Everything about one job, its errors included; with `wait`, as soon as it has ended.
         */
        get: operations["get_job"];
        put?: never;
        post?: never;
        /**
         * Remove a job in whatever state it is
         * @description Remove a job in whatever state it is.
         */
        delete: operations["delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a held job go on
         * @description Let a held job go on.
         */
        post: operations["approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancel a job. The worker of an active one learns it by its next heartbeat
         * @description Cancel a job. The worker of an active one learns it by its next heartbeat.
         */
        post: operations["cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What happened to a job, oldest first
         * @description What happened to a job, oldest first.
         */
        get: operations["job_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Why a job is not running: everything that stands between it and a worker
         * @description Why a job is not running: everything that stands between it and a worker.
         */
        get: operations["explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * A job with its relatives: parent and children, chain, batch, dependencies and dependents
         * @description A job with its relatives: parent and children, chain, batch, dependencies and dependents.
         *
         *     Everything that hangs together with the job, nearest first, up to 200 nodes and 1,000 edges.
         */
        get: operations["job_graph"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/hold": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a job from running until somebody approves it
         * @description Keep a job from running until somebody approves it.
         */
        post: operations["hold"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/move": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Move a job that is not active to another queue
         * @description Move a job that is not active to another queue.
         */
        post: operations["move"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/priority": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Change the priority of a job that has not been handed out yet
         * @description Change the priority of a job that has not been handed out yet.
         */
        post: operations["change_priority"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up a held job
         * @description Give up a held job.
         */
        post: operations["reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/{job_id}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Run a dead, cancelled, completed or scheduled job again, from its first attempt
         * @description Run a dead, cancelled, completed or scheduled job again, from its first attempt.
         */
        post: operations["retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/bulk": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Do one thing to many jobs, given by id or by filter; more than 10,000 in the background (202)
         * @description Do one thing to many jobs, given by id or by filter; more than 10,000 in the background (202).
         */
        post: operations["bulk"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/bulk-get": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Up to 1,000 jobs by id, in the order asked; missing ones are left out
         * @description Up to 1,000 jobs by id, in the order asked; missing ones are left out.
         */
        post: operations["bulk_get"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/jobs/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Jobs that fit all filters, page by page
         * @description Jobs that fit all filters, page by page.
         */
        post: operations["search"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics in the text format of Prometheus
         * @description Metrics in the text format of Prometheus.
         */
        get: operations["metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics/throughput": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs enqueued, completed and failed in each of the last sixty minutes, oldest first
         * @description Jobs enqueued, completed and failed in each of the last sixty minutes, oldest first.
         */
        get: operations["throughput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/metrics/throughput/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The same for each queue in which anything happened within the hour
         * @description The same for each queue in which anything happened within the hour.
         */
        get: operations["queue_throughput"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All queues with their settings and live counters, by name
         * @description All queues with their settings and live counters, by name.
         */
        get: operations["list_queues"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One queue with its settings and live counters
         * @description One queue with its settings and live counters.
         */
        get: operations["get_queue"];
        put?: never;
        post?: never;
        /**
         * Remove this queue with all its jobs, active ones included
         * @description Remove this queue with all its jobs, active ones included.
         */
        delete: operations["destroy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/clear": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Remove the pending and scheduled jobs of this queue
         * @description Remove the pending and scheduled jobs of this queue.
         */
        post: operations["clear"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/concurrency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Limit how many jobs of this queue are active at once; nothing or 0 removes the limit
         * @description Limit how many jobs of this queue are active at once; nothing or 0 removes the limit.
         */
        post: operations["concurrency"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/drain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand out no more jobs and let active ones finish; with `wait`, answer when they have
         * @description Hand out no more jobs and let active ones finish; with `wait`, answer when they have.
         */
        post: operations["drain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand out no more jobs of this queue
         * @description Hand out no more jobs of this queue.
         */
        post: operations["pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand out jobs of this queue again
         * @description Hand out jobs of this queue again.
         */
        post: operations["resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/queues/{name}/throttle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Limit how many jobs of this queue are handed out within any window of a given length
         * @description Limit how many jobs of this queue are handed out within any window of a given length.
         */
        post: operations["throttle"];
        /**
         * Remove the limit on how fast jobs are handed out
         * @description Remove the limit on how fast jobs are handed out.
         */
        delete: operations["unthrottle"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/release/{job_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Hand a lease back unfinished
         * @description Hand a lease back unfinished.
         *
         *     The job is pending again, or after `delay`; the attempt does not count.
         */
        post: operations["release"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All schedules by name. If there are more, the header X-Corvo-Next says where the next page begins
         * @description All schedules by name. If there are more, the header X-Corvo-Next says where the next page begins.
         */
        get: operations["list_schedules"];
        put?: never;
        /**
         * Make a schedule: from now on jobs like this come by the clock
         * @description Make a schedule: from now on jobs like this come by the clock.
         */
        post: operations["create_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One schedule, by its id or its name, with its latest runs
         * @description One schedule, by its id or its name, with its latest runs.
         */
        get: operations["get_schedule"];
        /**
         * Change a schedule: members that are given replace the old ones
         * @description Change a schedule: members that are given replace the old ones.
         *
         *     With `version`, only if nobody has changed it since that version was read.
         */
        put: operations["change_schedule"];
        post?: never;
        /**
         * Remove a schedule. Jobs it has made stay
         * @description Remove a schedule. Jobs it has made stay.
         */
        delete: operations["delete_schedule"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep a schedule from firing; it can still be run by hand
         * @description Keep a schedule from firing; it can still be run by hand.
         */
        post: operations["disable_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Let a schedule fire again, from now on: what it would have done meanwhile is not made up for
         * @description Let a schedule fire again, from now on: what it would have done meanwhile is not made up for.
         */
        post: operations["enable_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The next fire times of a schedule; of one that is disabled, what they would be
         * @description The next fire times of a schedule; of one that is disabled, what they would be.
         */
        get: operations["preview_schedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/{schedule_id}/run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make one job of the schedule now, whether it is enabled or not; its fire times stay as they are
         * @description Make one job of the schedule now, whether it is enabled or not; its fire times stay as they are.
         *
         *     Answers 201, or 200 with the id of the job that holds the unique lock.
         */
        post: operations["run_schedule"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/schedules/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * The next fire times of a cron expression, without making a schedule of it
         * @description The next fire times of a cron expression, without making a schedule of it.
         */
        post: operations["preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/search/fulltext": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Jobs by the words of their payload, tags, queue and id, newest first
         * @description Jobs by the words of their payload, tags, queue and id, newest first.
         */
        get: operations["full_text"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Heartbeats, acks, fails, releases, enqueues and fetches, one JSON object per line, both ways
         * @description Heartbeats, acks, fails, releases, enqueues and fetches, one JSON object per line, both ways.
         *
         *     Each line has a `request_id` and is answered by a line with the same, in order; up to 16 may be under way.
         *     The server puts in `{"cancel":[...]}` when a job is taken away, and `{"ping":true}` when nothing happens.
         */
        post: operations["stream"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * All webhooks, oldest first. Their secrets are not shown
         * @description All webhooks, oldest first. Their secrets are not shown.
         */
        get: operations["list_webhooks"];
        put?: never;
        /**
         * Make a webhook, or change the one with this id. A new one starts with the next event
         * @description Make a webhook, or change the one with this id. A new one starts with the next event.
         */
        post: operations["put_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One webhook, by its id: its settings, how far it has come and how it is doing
         * @description One webhook, by its id: its settings, how far it has come and how it is doing.
         */
        get: operations["get_webhook"];
        put?: never;
        /**
         * Add a job to the queue of this name; the body, of any kind, is its payload
         * @description Add a job to the queue of this name; the body, of any kind, is its payload.
         *
         *     JSON is taken as it is, no body is an empty object, and other text becomes a string. A sender that
         *     repeats itself does no harm if its delivery id is sent as `Idempotency-Key`, or used as `unique_key`.
         */
        post: operations["inbound"];
        /**
         * Delete a webhook, by its id. A delivery that is under way may still arrive
         * @description Delete a webhook, by its id. A delivery that is under way may still arrive.
         */
        delete: operations["delete_webhook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The latest deliveries of a webhook, oldest first: delivered, or given up and why
         * @description The latest deliveries of a webhook, oldest first: delivered, or given up and why.
         */
        get: operations["deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}/disable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch a webhook off. It keeps its place
         * @description Switch a webhook off. It keeps its place.
         */
        post: operations["disable_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}/enable": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Switch a webhook on: it goes on where it stopped, or with `from: now` with the next event
         * @description Switch a webhook on: it goes on where it stopped, or with `from: now` with the next event.
         */
        post: operations["enable_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Deliver again: the event `seq` now, whatever its type, or everything from `from_seq` on in order
         * @description Deliver again: the event `seq` now, whatever its type, or everything from `from_seq` on in order.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/webhooks/{name}/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a `ping` to a webhook and say what became of it
         * @description Send a `ping` to a webhook and say what became of it.
         */
        post: operations["test_webhook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/workers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Workers seen within the last day, latest first
         * @description Workers seen within the last day, latest first.
         */
        get: operations["list_workers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/corvo.v1.WorkerService/StreamLifecycle": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * One exchange of acks, enqueues and a fetch, as older RPC clients send it
         * @description One exchange of acks, enqueues and a fetch, as older RPC clients send it.
         */
        post: operations["stream_lifecycle"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/healthz": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Whether the node is up and its storage answers
         * @description Whether the node is up and its storage answers.
         */
        get: operations["healthz"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** AckBatchRequest */
        AckBatchRequest: {
            /** @default null */
            acks?: components["schemas"]["AckItem"][] | null;
        };
        /** AckBatchResponse */
        AckBatchResponse: {
            acked: number;
            results: components["schemas"]["AckResult"][];
        };
        /** AckItem */
        AckItem: {
            /** @default null */
            ack_status?: string | null;
            checkpoint?: unknown;
            /** @default null */
            exit_reason?: string | null;
            /** @default null */
            hold_reason?: string | null;
            /** @default null */
            job_id?: string | null;
            /** @default null */
            lease_token?: string | number | null;
            result?: unknown;
            /** @default null */
            step_status?: string | null;
        };
        /** AckRequest */
        AckRequest: {
            /** @default null */
            ack_status?: string | null;
            checkpoint?: unknown;
            /** @default null */
            exit_reason?: string | null;
            /** @default null */
            hold_reason?: string | null;
            /** @default null */
            lease_token?: string | number | null;
            result?: unknown;
            /** @default null */
            step_status?: string | null;
        };
        /** AckResponse */
        AckResponse: {
            duplicate?: boolean;
            state: string;
            status: string;
        };
        /** AckResult */
        AckResult: {
            duplicate?: boolean;
            job_id: string;
            status: string;
        };
        /** BatchBody */
        BatchBody: {
            callback_job_id?: string;
            callback_payload?: unknown;
            callback_queue?: string;
            created_at: string;
            ended_at?: string;
            failed: number;
            id: string;
            pending: number;
            sealed: boolean;
            succeeded: number;
            total: number;
        };
        /** BatchCreated */
        BatchCreated: {
            batch_id: string;
        };
        /** BatchItem */
        BatchItem: {
            id: string;
            queue: string;
            state: string;
            unique_existing?: boolean;
        };
        /** BatchListBody */
        BatchListBody: {
            batches: components["schemas"]["BatchBody"][];
            cursor?: string;
            has_more: boolean;
        };
        /** BatchSealedBody */
        BatchSealedBody: {
            callback_job?: components["schemas"]["JobBody"];
            status: string;
        };
        /** BeatItem */
        BeatItem: {
            checkpoint?: unknown;
            /** @default null */
            job_id?: string | null;
            /** @default null */
            lease_token?: string | number | null;
            progress?: unknown;
        };
        /** BeatRequest */
        BeatRequest: {
            checkpoint?: unknown;
            /** @default null */
            lease_token?: string | number | null;
            progress?: unknown;
        };
        /** BulkDoneBody */
        BulkDoneBody: {
            affected: number;
            duration_ms: number;
            errors: number;
            failures: components["schemas"]["FailureBody"][];
            skipped: number;
        };
        /** BulkGetRequest */
        BulkGetRequest: {
            /** @default null */
            job_ids?: string[] | null;
        };
        /** BulkGetResponse */
        BulkGetResponse: {
            jobs: components["schemas"]["JobBody"][];
        };
        /** BulkListBody */
        BulkListBody: {
            cursor?: string;
            has_more: boolean;
            tasks: components["schemas"]["BulkTaskBody"][];
        };
        /**
         * BulkPreviewBody
         * @description What a dry run answers: nothing was changed.
         */
        BulkPreviewBody: {
            by_state: {
                [key: string]: number;
            };
            count: number;
            dry_run: boolean;
            sample: components["schemas"]["JobBody"][];
        };
        /** BulkQueuedBody */
        BulkQueuedBody: {
            bulk_operation_id: string;
            estimated_total: number;
            progress_url: string;
            status: string;
        };
        /** BulkRequest */
        BulkRequest: {
            /** @default null */
            action?: string | null;
            /** @default null */
            async?: boolean | null;
            /** @default null */
            dry_run?: boolean | null;
            /** @default null */
            filter?: components["schemas"]["SearchRequest"] | null;
            /** @default null */
            job_ids?: string[] | null;
            /** @default null */
            move_to_queue?: string | null;
            /** @default null */
            priority?: string | number | null;
            /** @default null */
            rate?: number | null;
            /** @default null */
            reason?: string | null;
        };
        /** BulkTaskBody */
        BulkTaskBody: {
            action: string;
            affected: number;
            created_at: string;
            error?: string;
            errors: number;
            failures: components["schemas"]["FailureBody"][];
            filter?: unknown;
            finished_at?: string;
            id: string;
            move_to_queue?: string;
            processed: number;
            rate?: number;
            skipped: number;
            status: string;
            total: number;
            updated_at: string;
        };
        /**
         * CallbackRequest
         * @description What is to come when all jobs of a batch have ended.
         */
        CallbackRequest: {
            callback_payload?: unknown;
            /** @default null */
            callback_queue?: string | null;
        };
        /**
         * ChainBody
         * @description The chain a job is part of, and what it depends on: one member for both, as older clients expect.
         */
        ChainBody: {
            depends_on?: string[];
            on_exit?: components["schemas"]["StepBody"];
            on_failure?: components["schemas"]["StepBody"];
            steps?: components["schemas"]["StepBody"][];
        };
        /**
         * ChainRequest
         * @description Jobs that follow one another. A handler may be given by the name of its queue alone.
         */
        ChainRequest: {
            /** @default null */
            on_exit?: string | components["schemas"]["StepRequest"] | null;
            /** @default null */
            on_failure?: string | components["schemas"]["StepRequest"] | null;
            /** @default null */
            steps?: components["schemas"]["StepRequest"][] | null;
        };
        /** CheckBody */
        CheckBody: {
            duration_ms: number;
            index: number;
            problems: string[];
            status: string;
        };
        /** ClearedBody */
        ClearedBody: {
            deleted: number;
            status: string;
        };
        /** ConcurrencyRequest */
        ConcurrencyRequest: {
            /** @default null */
            max?: number | null;
        };
        /**
         * DeliveriesBody
         * @description The latest, oldest first.
         */
        DeliveriesBody: {
            deliveries: components["schemas"]["DeliveryBody"][];
        };
        /** DeliveryBody */
        DeliveryBody: {
            at: string;
            attempts: number;
            delivered: boolean;
            error?: string;
            seq: number;
            status_code?: number;
            took_ms: number;
            type: string;
        };
        /** DrainBody */
        DrainBody: {
            active: number;
            status: string;
        };
        /**
         * EdgeBody
         * @description From what comes first to what comes of it: parent, chain, batch, callback or dependency.
         */
        EdgeBody: {
            from: string;
            kind: string;
            to: string;
        };
        /** EnableRequest */
        EnableRequest: {
            /**
             * @description Go on where it stopped, or with what happens next.
             * @default cursor
             * @enum {unknown}
             */
            from?: "cursor" | "now";
        };
        /** EnqueueBatchRequest */
        EnqueueBatchRequest: {
            /** @default null */
            batch?: components["schemas"]["CallbackRequest"] | null;
            /** @default null */
            jobs?: components["schemas"]["EnqueueRequest"][] | null;
        };
        /** EnqueueBatchResponse */
        EnqueueBatchResponse: {
            batch_id?: string;
            job_ids: string[];
            jobs: components["schemas"]["BatchItem"][];
        };
        /**
         * EnqueueOrBatchRequest
         * @description Newer clients send batches to the same address.
         */
        EnqueueOrBatchRequest: {
            /** @default null */
            allow_missing?: boolean | null;
            /** @default null */
            batch?: components["schemas"]["CallbackRequest"] | null;
            /** @default null */
            batch_id?: string | null;
            /** @default null */
            chain?: components["schemas"]["ChainRequest"] | null;
            checkpoint?: unknown;
            /** @default null */
            delay?: string | null;
            /** @default null */
            depends_on?: string[] | null;
            /** @default null */
            expire_after?: string | null;
            /** @default null */
            expire_after_ms?: number | null;
            /** @default null */
            group?: string | null;
            /** @default null */
            jobs?: components["schemas"]["EnqueueRequest"][] | null;
            /** @default null */
            max_retries?: number | null;
            /** @default null */
            on_dependency_failure?: string | null;
            /** @default null */
            parent_id?: string | null;
            payload?: unknown;
            /** @default null */
            priority?: string | number | null;
            /** @default null */
            queue?: string | null;
            /** @default null */
            retry_backoff?: string | null;
            /** @default null */
            retry_base_delay?: string | null;
            /** @default null */
            retry_base_delay_ms?: number | null;
            /** @default null */
            retry_jitter?: number | null;
            /** @default null */
            retry_max_delay?: string | null;
            /** @default null */
            retry_max_delay_ms?: number | null;
            /** @default null */
            scheduled_at?: string | null;
            /** @default null */
            tags?: {
                [key: string]: string;
            } | null;
            /** @default null */
            unique_key?: string | null;
            /** @default null */
            unique_period?: number | null;
            /** @default null */
            unique_until?: string | null;
        };
        /**
         * EnqueueRequest
         * @description One job. Members that are unknown are ignored, and null counts as absent.
         */
        EnqueueRequest: {
            /** @default null */
            allow_missing?: boolean | null;
            /** @default null */
            batch_id?: string | null;
            /** @default null */
            chain?: components["schemas"]["ChainRequest"] | null;
            checkpoint?: unknown;
            /** @default null */
            delay?: string | null;
            /** @default null */
            depends_on?: string[] | null;
            /** @default null */
            expire_after?: string | null;
            /** @default null */
            expire_after_ms?: number | null;
            /** @default null */
            group?: string | null;
            /** @default null */
            max_retries?: number | null;
            /** @default null */
            on_dependency_failure?: string | null;
            /** @default null */
            parent_id?: string | null;
            payload?: unknown;
            /** @default null */
            priority?: string | number | null;
            /** @default null */
            queue?: string | null;
            /** @default null */
            retry_backoff?: string | null;
            /** @default null */
            retry_base_delay?: string | null;
            /** @default null */
            retry_base_delay_ms?: number | null;
            /** @default null */
            retry_jitter?: number | null;
            /** @default null */
            retry_max_delay?: string | null;
            /** @default null */
            retry_max_delay_ms?: number | null;
            /** @default null */
            scheduled_at?: string | null;
            /** @default null */
            tags?: {
                [key: string]: string;
            } | null;
            /** @default null */
            unique_key?: string | null;
            /** @default null */
            unique_period?: number | null;
            /** @default null */
            unique_until?: string | null;
        };
        /** EnqueueResponse */
        EnqueueResponse: {
            job?: components["schemas"]["JobBody"];
            job_id: string;
            status: string;
            unique_existing?: boolean;
            unique_job_id?: string;
        };
        /**
         * ErrorAnswer
         * @description What every failure looks like. Match on `code`.
         */
        ErrorAnswer: {
            code: string;
            error: string;
            hint: string;
            /** @default null */
            job_state?: string | null;
            request_id: string;
            /** @default null */
            retry_after_ms?: number | null;
        };
        /**
         * ErrorBody
         * @description One failure of a job.
         */
        ErrorBody: {
            at: string;
            attempt: number;
            backtrace?: string;
            created_at: string;
            error: string;
            id: number;
            job_id: string;
        };
        /** EventBody */
        EventBody: {
            at_ns: number;
            data?: unknown;
            job_id?: string;
            queue?: string;
            seq: number;
            type: string;
        };
        /** EventsBody */
        EventsBody: {
            events: components["schemas"]["EventBody"][];
            first_seq: number;
            last_seq: number;
        };
        /** ExplainBody */
        ExplainBody: {
            eta_ms?: number;
            reasons: components["schemas"]["ReasonBody"][];
            state: string;
        };
        /** FailRequest */
        FailRequest: {
            /** @default null */
            backtrace?: string | null;
            /** @default null */
            error?: string | null;
            /** @default null */
            lease_token?: string | number | null;
            /** @default null */
            retry?: boolean | null;
            /** @default null */
            retry_after?: string | null;
        };
        /** FailResponse */
        FailResponse: {
            attempt: number;
            attempts_remaining: number;
            duplicate?: boolean;
            job: components["schemas"]["JobBody"];
            next_attempt_at?: string;
            status: string;
        };
        /** FailureBody */
        FailureBody: {
            code: string;
            error: string;
            job_id: string;
        };
        /** FetchBatchRequest */
        FetchBatchRequest: {
            /** @default null */
            count?: number | null;
            /** @default null */
            hostname?: string | null;
            /** @default null */
            lease_duration?: number | null;
            /** @default null */
            queues?: string[] | null;
            /** @default null */
            timeout?: number | null;
            /** @default null */
            worker_id?: string | null;
        };
        /** FetchBatchResponse */
        FetchBatchResponse: {
            jobs: components["schemas"]["FetchedJob"][];
        };
        /** FetchedJob */
        FetchedJob: {
            attempt: number;
            batch_id?: string;
            chain_id?: string;
            chain_step?: number;
            checkpoint?: unknown;
            job_id: string;
            lease_duration: number;
            lease_expires_at: string;
            lease_token: string;
            lease_version: number;
            max_retries: number;
            parent_id?: string;
            payload: unknown;
            priority: number;
            queue: string;
            tags?: {
                [key: string]: string;
            };
        };
        /** FetchRequest */
        FetchRequest: {
            /** @default null */
            hostname?: string | null;
            /** @default null */
            lease_duration?: number | null;
            /** @default null */
            queues?: string[] | null;
            /** @default null */
            timeout?: number | null;
            /** @default null */
            worker_id?: string | null;
        };
        /** FireTime */
        FireTime: {
            at: string;
            local: string;
        };
        /** FoundBody */
        FoundBody: {
            created_at: string;
            id: string;
            payload: string;
            queue: string;
            state: string;
            tags: string;
        };
        /** FullTextBody */
        FullTextBody: {
            q: string;
            results: components["schemas"]["FoundBody"][];
        };
        /** GraphBody */
        GraphBody: {
            edges: components["schemas"]["EdgeBody"][];
            job_id: string;
            nodes: components["schemas"]["NodeBody"][];
            truncated: boolean;
        };
        /** HealthBody */
        HealthBody: {
            leader: boolean;
            raft_state: string;
            status: string;
        };
        /**
         * HeartbeatRequest
         * @description Jobs by id, or as a list whose JSON members arrive as text (SPEC 2.10).
         */
        HeartbeatRequest: {
            /** @default null */
            jobs?: {
                [key: string]: components["schemas"]["BeatRequest"] | null;
            } | components["schemas"]["BeatItem"][] | null;
        };
        /** HeartbeatResponse */
        HeartbeatResponse: {
            acked: string[];
            canceled: string[];
            jobs: {
                [key: string]: components["schemas"]["PulseBody"];
            };
            lease_expires_at?: string;
            unknown: string[];
        };
        /** HistoryBody */
        HistoryBody: {
            complete: boolean;
            events: components["schemas"]["EventBody"][];
        };
        /** InfoBody */
        InfoBody: {
            api_version: string;
            server_version: string;
        };
        /** JobBody */
        JobBody: {
            attempt: number;
            batch_id?: string;
            cancelled_at?: string;
            chain_config?: components["schemas"]["ChainBody"];
            chain_id?: string;
            chain_step?: number;
            checkpoint?: unknown;
            completed_at?: string;
            created_at: string;
            depends_on?: string[];
            errors?: components["schemas"]["ErrorBody"][];
            expire_at?: string;
            failed_at?: string;
            group?: string;
            hold_reason?: string;
            hostname?: string;
            id: string;
            last_error?: string;
            lease_expires_at?: string;
            lease_version?: number;
            max_retries: number;
            parent_id?: string;
            payload: unknown;
            priority: number;
            priority_name: string;
            progress?: unknown;
            queue: string;
            result?: unknown;
            retry_backoff: string;
            retry_base_delay: string;
            retry_base_delay_ms: number;
            retry_jitter?: number;
            retry_max_delay: string;
            retry_max_delay_ms: number;
            scheduled_at?: string;
            started_at?: string;
            state: string;
            tags?: {
                [key: string]: string;
            };
            unique_key?: string;
            unique_period?: number;
            unique_until?: string;
            waiting_for?: number;
            worker?: components["schemas"]["WorkerRef"];
            worker_id?: string;
        };
        /** MinuteBody */
        MinuteBody: {
            completed: number;
            enqueued: number;
            failed: number;
            minute: string;
        };
        /** MoveRequest */
        MoveRequest: {
            /** @default null */
            queue?: string | null;
        };
        /**
         * NodeBody
         * @description A job, a batch, or a step of a chain that is still to come.
         */
        NodeBody: {
            chain_step?: number;
            failed?: number;
            id: string;
            kind: string;
            pending?: number;
            queue?: string;
            state?: string;
            succeeded?: number;
            total?: number;
        };
        /** PreviewBody */
        PreviewBody: {
            runs: components["schemas"]["FireTime"][];
            timezone: string;
        };
        /**
         * PreviewRequest
         * @description Fire times of a schedule that need not exist.
         */
        PreviewRequest: {
            /** @default null */
            after?: string | null;
            /** @default null */
            cron?: string | null;
            /** @default null */
            dst_gap?: string | null;
            /** @default null */
            dst_overlap?: string | null;
            /** @default null */
            n?: number | null;
            /** @default null */
            timezone?: string | null;
        };
        /** PriorityRequest */
        PriorityRequest: {
            /** @default null */
            priority?: string | number | null;
        };
        /** PulseBody */
        PulseBody: {
            reason?: string;
            status: string;
        };
        /** QueueBody */
        QueueBody: {
            active: number;
            blocked: number;
            cancelled: number;
            completed: number;
            completed_total: number;
            created_at: string;
            dead: number;
            enqueued: number;
            failed: number;
            held: number;
            max_concurrency?: number;
            name: string;
            oldest_pending_at?: string;
            paused: boolean;
            pending: number;
            rate_limit?: number;
            rate_window_ms?: number;
            rates?: components["schemas"]["RatesBody"];
            retrying: number;
            scheduled: number;
        };
        /**
         * QueueHourBody
         * @description Sixty minutes, oldest first.
         */
        QueueHourBody: {
            completed: number[];
            enqueued: number[];
            failed: number[];
        };
        /** QueueHoursBody */
        QueueHoursBody: {
            queues: {
                [key: string]: components["schemas"]["QueueHourBody"];
            };
            start: string;
        };
        /**
         * RateBody
         * @description Jobs enqueued, completed and failed within a time.
         */
        RateBody: {
            completed: number;
            enqueued: number;
            failed: number;
        };
        /** RatesBody */
        RatesBody: {
            hour: components["schemas"]["RateBody"];
            minute: components["schemas"]["RateBody"];
        };
        /** ReasonBody */
        ReasonBody: {
            code: string;
            text: string;
            until?: string;
        };
        /** ReasonRequest */
        ReasonRequest: {
            /** @default null */
            reason?: string | null;
        };
        /** RebuildBody */
        RebuildBody: {
            duration_ms: number;
            jobs: number;
            status: string;
        };
        /**
         * RedeliverRequest
         * @description One event, or everything from one event on.
         */
        RedeliverRequest: {
            /** @default null */
            from_seq?: number | null;
            /** @default null */
            seq?: number | null;
        };
        /** ReleaseRequest */
        ReleaseRequest: {
            checkpoint?: unknown;
            /** @default null */
            delay?: string | null;
            /** @default null */
            lease_token?: string | number | null;
        };
        /** ReleaseResponse */
        ReleaseResponse: {
            duplicate?: boolean;
            scheduled_at?: string;
            state: string;
            status: string;
        };
        /** RpcAck */
        RpcAck: {
            /** @default null */
            jobId?: string | null;
            /** @default null */
            resultJson?: string | null;
        };
        /** RpcAnswer */
        RpcAnswer: {
            acked: number;
            enqueuedJobIds: string[];
            error?: string;
            jobs: components["schemas"]["RpcJob"][];
            leaderAddr?: string;
            requestId: number;
        };
        /** RpcEnqueue */
        RpcEnqueue: {
            /** @default null */
            payloadJson?: string | null;
            /** @default null */
            queue?: string | null;
        };
        /** RpcJob */
        RpcJob: {
            attempt: number;
            checkpointJson?: string;
            jobId: string;
            leaseDuration: number;
            maxRetries: number;
            payloadJson: string;
            queue: string;
            tagsJson?: string;
        };
        /** RpcRequest */
        RpcRequest: {
            /** @default null */
            acks?: components["schemas"]["RpcAck"][] | null;
            /** @default null */
            enqueues?: components["schemas"]["RpcEnqueue"][] | null;
            /** @default null */
            fetchCount?: number | null;
            /** @default null */
            hostname?: string | null;
            /** @default null */
            leaseDuration?: number | null;
            /** @default null */
            queues?: string[] | null;
            /** @default 0 */
            requestId?: number;
            /** @default null */
            workerId?: string | null;
        };
        /**
         * RunBody
         * @description A fire time and what came of it: a job, or the reason why there is none.
         */
        RunBody: {
            at: string;
            job_id?: string;
            note?: string;
        };
        /** RuntimeBody */
        RuntimeBody: {
            cpu_sys_ns: number;
            cpu_user_ns: number;
            gc_pause_p99_ns: number;
            gomaxprocs: number;
            goroutines: number;
            heap_inuse_bytes: number;
            stack_inuse_bytes: number;
        };
        /** ScheduleBody */
        ScheduleBody: {
            created_at: string;
            cron: string;
            dst_gap: string;
            dst_overlap: string;
            enabled: boolean;
            expire_after?: string;
            fired: number;
            id: string;
            last_job_id?: string;
            last_run?: string;
            max_retries: number;
            misfire: string;
            name: string;
            next_run?: string;
            overlap: string;
            payload: unknown;
            priority: number;
            priority_name: string;
            queue: string;
            retry_backoff: string;
            retry_base_delay: string;
            retry_jitter?: number;
            retry_max_delay: string;
            runs: components["schemas"]["RunBody"][];
            skipped: number;
            tags?: {
                [key: string]: string;
            };
            timezone: string;
            unique_key?: string;
            unique_period?: number;
            unique_until?: string;
            updated_at: string;
            version: number;
        };
        /**
         * ScheduleRequest
         * @description A new schedule, or the members of one that are to change; null stands for the default.
         */
        ScheduleRequest: {
            cron?: string | null;
            dst_gap?: string | null;
            dst_overlap?: string | null;
            enabled?: boolean | null;
            expire_after?: string | null;
            expire_after_ms?: number | null;
            max_retries?: number | null;
            misfire?: string | null;
            name?: string | null;
            overlap?: string | null;
            payload?: unknown;
            priority?: string | number | null;
            queue?: string | null;
            retry_backoff?: string | null;
            retry_base_delay?: string | null;
            retry_base_delay_ms?: number | null;
            retry_jitter?: number | null;
            retry_max_delay?: string | null;
            retry_max_delay_ms?: number | null;
            tags?: {
                [key: string]: string;
            } | null;
            timezone?: string | null;
            unique_key?: string | null;
            unique_period?: number | null;
            unique_until?: string | null;
            version?: number | null;
        };
        /** SearchBody */
        SearchBody: {
            cursor?: string;
            duration_ms: number;
            has_more: boolean;
            jobs: components["schemas"]["JobBody"][];
            total: number;
            total_is_estimate?: boolean;
        };
        /**
         * SearchRequest
         * @description Unknown members are ignored: SDKs of two generations send extra ones.
         */
        SearchRequest: {
            /** @default null */
            attempt_max?: number | null;
            /** @default null */
            attempt_min?: number | null;
            /** @default null */
            batch_id?: string | null;
            /** @default null */
            chain_id?: string | null;
            /** @default null */
            completed_after?: string | null;
            /** @default null */
            completed_before?: string | null;
            /** @default null */
            created_after?: string | null;
            /** @default null */
            created_before?: string | null;
            /** @default null */
            cursor?: string | null;
            /** @default null */
            error_contains?: string | null;
            /** @default null */
            expire_after?: string | null;
            /** @default null */
            expire_before?: string | null;
            /** @default null */
            has_errors?: boolean | null;
            /** @default null */
            job_id_prefix?: string | null;
            /** @default null */
            limit?: number | null;
            /** @default null */
            order?: string | null;
            /** @default null */
            parent_id?: string | null;
            /** @default null */
            payload_contains?: string | null;
            /** @default null */
            payload_jq?: string | null;
            /** @default null */
            priority?: string | number | null;
            /** @default null */
            queue?: string | null;
            /** @default null */
            scheduled_after?: string | null;
            /** @default null */
            scheduled_before?: string | null;
            /** @default null */
            sort?: string | null;
            /** @default null */
            started_after?: string | null;
            /** @default null */
            started_before?: string | null;
            /** @default null */
            state?: string[] | string | null;
            /** @default null */
            tags?: {
                [key: string]: string;
            } | null;
            /** @default null */
            unique_key?: string | null;
            /** @default null */
            worker_id?: string | null;
        };
        /**
         * SentBody
         * @description What became of a delivery that was made while you waited, or how many will be made.
         */
        SentBody: {
            delivered?: boolean;
            error?: string;
            from_seq?: number;
            status: string;
            status_code?: number;
            took_ms?: number;
        };
        /** StatusBody */
        StatusBody: {
            status: string;
        };
        /** StepBody */
        StepBody: {
            payload?: unknown;
            queue: string;
        };
        /**
         * StepRequest
         * @description One step of a chain, or one of its handlers.
         */
        StepRequest: {
            payload?: unknown;
            /** @default null */
            queue?: string | null;
        };
        /**
         * ThrottleRequest
         * @description The window in milliseconds, or as a duration under `period`.
         */
        ThrottleRequest: {
            /** @default null */
            period?: string | null;
            /** @default null */
            rate?: number | null;
            /** @default null */
            window_ms?: number | null;
        };
        /**
         * WebhookBody
         * @description A webhook. Its secret is never shown.
         */
        WebhookBody: {
            created_at: string;
            cursor: number;
            delivered_total: number;
            disabled_reason?: string;
            enabled: boolean;
            events: string[];
            failed_total: number;
            failing_since?: string;
            first_failed_seq?: number;
            has_secret: boolean;
            id: string;
            last_delivery_at?: string;
            last_error?: string;
            last_status_code?: number;
            retry_limit: number;
            url: string;
        };
        /** WebhookDone */
        WebhookDone: {
            id: string;
            status: string;
        };
        /**
         * WebhookRequest
         * @description A webhook to be made, or changed if there is one with this id.
         */
        WebhookRequest: {
            /** @default null */
            enabled?: boolean | null;
            /** @default null */
            events?: string[] | null;
            /** @default null */
            id?: string | null;
            /** @default null */
            retry_limit?: number | null;
            /** @default null */
            secret?: string | null;
            /** @default null */
            url?: string | null;
        };
        /** WorkerBody */
        WorkerBody: {
            active_jobs: number;
            hostname: string | null;
            id: string;
            last_heartbeat: string;
            queue_names: string[];
            queues: string;
            started_at: string;
            status: string;
        };
        /** WorkerRef */
        WorkerRef: {
            hostname?: string;
            id: string;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    ack: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AckRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckResponse"];
                };
            };
            /**
             * @description `ACK_ERROR`: The job is not active, so there is nothing to acknowledge. Fetch it again before acking.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             *
             *     `LEASE_CONFLICT`: Another claim owns the job now, so this lease token is stale. Drop the job; do not retry.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    ack_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["AckBatchRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AckBatchResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    check: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckBody"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    rebuild_sqlite: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RebuildBody"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `UNHEALTHY`: The node's storage does not answer. Look at its log and at `corvo doctor`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    open_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CallbackRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchCreated"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_batch: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    seal_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                batch_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchSealedBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_batches: {
        parameters: {
            query?: {
                /** @description From the page before. */
                cursor?: string;
                /** @description At most this many, up to 200. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BatchListBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_bulk: {
        parameters: {
            query?: {
                /** @description From the page before. */
                cursor?: string;
                /** @description At most this many, up to 200. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkListBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_bulk: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkTaskBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    cancel_bulk: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkTaskBody"];
                };
            };
            /**
             * @description `BULK_ERROR`: The bulk request names no jobs or an unknown action, or the task has ended already.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    bulk_progress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                task_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    cluster_events: {
        parameters: {
            query?: {
                /** @description Number of the last event already seen. */
                after_seq?: string;
                /** @description At most this many, up to 1000. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EventsBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    cluster_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": Record<string, never>;
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    dead: {
        parameters: {
            query?: {
                /** @description From the page before. */
                cursor?: string;
                /** @description At most this many, up to 1000. */
                limit?: string;
                /** @description asc for the oldest first. */
                order?: string;
                /** @description Only of this queue. */
                queue?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    runtime: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RuntimeBody"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    enqueue: {
        parameters: {
            query?: {
                /** @description Answer when the job has ended, or after this time, such as 30s. */
                wait?: string;
            };
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EnqueueOrBatchRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    enqueue_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EnqueueBatchRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueBatchResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    events: {
        parameters: {
            query?: {
                /** @description true: also changed queue counters, at most four times a second; only: nothing else. */
                counters?: string;
                /** @description Only of these jobs. */
                job_ids?: string;
                /** @description Number of the last event seen; 0 for all there are. Also as Last-Event-ID. */
                last_event_id?: string;
                /** @description Only of these queues, separated by commas. */
                queues?: string;
                /** @description Only of these types. */
                types?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    fail: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FailRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FailResponse"];
                };
            };
            /**
             * @description `FAIL_ERROR`: The job is not active, so it cannot be failed. Fetch it again first.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             *
             *     `LEASE_CONFLICT`: Another claim owns the job now, so this lease token is stale. Drop the job; do not retry.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    fetch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FetchRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FetchedJob"];
                };
            };
            /** @description Nothing to hand out within the wait */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    fetch_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["FetchBatchRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FetchBatchResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    heartbeat: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["HeartbeatRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HeartbeatResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    info: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InfoBody"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_job: {
        parameters: {
            query?: {
                /** @description Answer when the job has ended, or after this time, such as 30s. */
                wait?: string;
            };
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    approve: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `APPROVE_ERROR`: Only a held job can be approved.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `CANCEL_ERROR`: The job has ended already, so there is nothing to cancel.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    job_events: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HistoryBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    explain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExplainBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    job_graph: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GraphBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    hold: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReasonRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `HOLD_ERROR`: Only jobs that wait or run can be held.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    move: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["MoveRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `MOVE_ERROR`: An active job cannot be moved, nor one whose unique key is taken in the other queue.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    change_priority: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PriorityRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `PRIORITY_ERROR`: Only a job that has not been handed out yet can get another priority.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    reject: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReasonRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `REJECT_ERROR`: Only a held job can be rejected.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    retry: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `RETRY_ERROR`: Only dead, cancelled, completed and scheduled jobs can be retried, if nothing stands against it.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    bulk: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BulkRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDoneBody"] | components["schemas"]["BulkQueuedBody"] | components["schemas"]["BulkPreviewBody"];
                };
            };
            /** @description Done */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkDoneBody"] | components["schemas"]["BulkQueuedBody"] | components["schemas"]["BulkPreviewBody"];
                };
            };
            /**
             * @description `BULK_ERROR`: The bulk request names no jobs or an unknown action, or the task has ended already.
             *
             *     `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    bulk_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["BulkGetRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BulkGetResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    search: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["SearchRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SearchBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    throughput: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["MinuteBody"][];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    queue_throughput: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueHoursBody"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_queues: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueBody"][];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_queue: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueueBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    destroy: {
        parameters: {
            query?: {
                /** @description Must be true. */
                confirm?: string;
            };
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    clear: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClearedBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    concurrency: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ConcurrencyRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    drain: {
        parameters: {
            query?: {
                /** @description How long to wait for active jobs to finish, such as 30s. */
                wait?: string;
            };
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DrainBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    throttle: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ThrottleRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    unthrottle: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    release: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                job_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ReleaseRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReleaseResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `RELEASE_ERROR`: The job is not active, so there is no lease to hand back.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             *
             *     `LEASE_CONFLICT`: Another claim owns the job now, so this lease token is stale. Drop the job; do not retry.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_schedules: {
        parameters: {
            query?: {
                /** @description Begin after this name: the X-Corvo-Next of the page before. */
                after?: string;
                /** @description How many, up to 1000 (the default). */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"][];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    create_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ScheduleRequest"];
            };
        };
        responses: {
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `CONFLICT`: The name is taken, or somebody else has changed the thing meanwhile. Read it again, then decide.
             *
             *     `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_schedule: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    change_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["ScheduleRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `CONFLICT`: The name is taken, or somebody else has changed the thing meanwhile. Read it again, then decide.
             *
             *     `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    delete_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StatusBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    disable_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `CONFLICT`: The name is taken, or somebody else has changed the thing meanwhile. Read it again, then decide.
             *
             *     `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    enable_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ScheduleBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `CONFLICT`: The name is taken, or somebody else has changed the thing meanwhile. Read it again, then decide.
             *
             *     `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key.
             */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    preview_schedule: {
        parameters: {
            query?: {
                /** @description Fire times after this, such as 2026-03-08T00:00:00Z; after now if left out. */
                after?: string;
                /** @description How many, up to 100; 20 if left out. */
                n?: string;
            };
            header?: never;
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    run_schedule: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                schedule_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    preview: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PreviewBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    full_text: {
        parameters: {
            query?: {
                /** @description At most this many. */
                limit?: string;
                /** @description Words that must all occur; the last may be incomplete. */
                q?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FullTextBody"];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    stream: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /**
             * @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay.
             *
             *     `STREAM_LIMIT`: As many streams are open as the node takes. Use one stream per worker process, or retry later.
             */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `SHUTTING_DOWN`: This node is stopping. Retry on another node, or on this one when it is back. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_webhooks: {
        parameters: {
            query?: {
                /** @description Only those after the webhook with this id, for the next page. */
                after?: string;
                /** @description At most so many; all there are if not given. */
                limit?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookBody"][];
                };
            };
            /** @description `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    put_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["WebhookRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDone"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             *
             *     `WEBHOOK_ERROR`: The webhook's address, events or settings are not allowed. Correct what the message names.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    get_webhook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    inbound: {
        parameters: {
            query?: {
                /** @description Attempts in total. */
                max_retries?: string;
                /** @description critical, high, normal or low. */
                priority?: string;
                /** @description Not before this time (RFC 3339). */
                scheduled_at?: string;
                /** @description Pairs such as source:github,kind:push. */
                tags?: string;
                /** @description Only one job with this key at a time. */
                unique_key?: string;
            };
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /** @description Done */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EnqueueResponse"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    delete_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDone"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    deliveries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DeliveriesBody"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    disable_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDone"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    enable_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["EnableRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WebhookDone"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RedeliverRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentBody"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             *
             *     `WEBHOOK_ERROR`: The webhook's address, events or settings are not allowed. Correct what the message names.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    test_webhook: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SentBody"];
                };
            };
            /** @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request. */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `NOT_FOUND`: No such thing: it never existed, was deleted, or its retention has passed. */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `STALE`: This node has not yet applied the index the request asked for. Retry, or ask another node. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    list_workers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkerBody"][];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    stream_lifecycle: {
        parameters: {
            query?: never;
            header?: {
                /** @description Same key and same body within 24 hours: the first answer again, and no second effect. */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RpcRequest"];
            };
        };
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RpcAnswer"];
                };
            };
            /**
             * @description `PARSE_ERROR`: The body is not valid JSON, or a member has the wrong type. Correct the request.
             *
             *     `VALIDATION_ERROR`: A field is missing or its value is not allowed. Correct the request.
             */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `IDEMPOTENCY_MISMATCH`: The Idempotency-Key was used within 24 hours for a different request. Use a new key. */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `PAYLOAD_TOO_LARGE`: The body or a payload is larger than the server accepts. Store the data elsewhere and send a link. */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `OVERLOADED`: The server refused the work to protect itself. Retry after the given delay. */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /**
             * @description `LEADER_UNAVAILABLE`: No leader is known at the moment, so nothing was written. Retry; an election takes about a second.
             *
             *     `OUTCOME_UNKNOWN`: The write may or may not have happened. Retry with the same Idempotency-Key and it happens once.
             *
             *     `STORAGE_FULL`: The disk is full, so writes are refused; reads go on. Free some space and writes resume.
             */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
    healthz: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HealthBody"];
                };
            };
            /** @description `INTERNAL_ERROR`: Something went wrong inside the server. The log of the node has the details. */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
            /** @description `UNHEALTHY`: The node's storage does not answer. Look at its log and at `corvo doctor`. */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ErrorAnswer"];
                };
            };
        };
    };
}
