import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Job } from "@/api/types";
import { duration, ms } from "@/lib/time";
import { quoted } from "@/query/complete";
import { Time } from "@/ui/Time";

export function JobFacts({ job }: { job: Job }) {
  const created = ms(job.created_at) ?? 0;
  const started = ms(job.started_at);
  const ended =
    ms(job.completed_at) ?? ms(job.cancelled_at) ?? (job.state === "dead" ? ms(job.failed_at) : undefined);
  const facts: [string, ReactNode][] = [
    [
      "Queue",
      <Link key="q" to="/queues/$name" params={{ name: job.queue }} className="link">
        {job.queue}
      </Link>,
    ],
    ["Priority", job.priority_name],
    ["Attempt", `${job.attempt} of ${job.max_retries}`],
    ["Created", <Time key="c" at={job.created_at} />],
  ];
  const add = (term: string, value: ReactNode, when: unknown) => {
    if (when !== undefined && when !== null && when !== "") facts.push([term, value]);
  };
  add("Due", <Time at={job.scheduled_at} />, job.scheduled_at);
  add(
    "Last started",
    <>
      <Time at={job.started_at} />
      {started !== undefined && job.attempt === 1 && (
        <span className="text-ink-3"> after {duration(started - created)}</span>
      )}
    </>,
    job.started_at,
  );
  add(
    job.state === "completed" ? "Completed" : job.state === "cancelled" ? "Cancelled" : "Failed",
    <>
      <Time at={ended} />
      {started !== undefined && ended !== undefined && ended >= started && (
        <span className="text-ink-3"> in {duration(ended - started)}</span>
      )}
    </>,
    ended,
  );
  add("Lease until", <Time at={job.lease_expires_at} />, job.lease_expires_at);
  add(
    "Worker",
    <Link to="/worker" search={{ id: job.worker_id ?? "" }} className="link">
      {job.worker_id}
      {job.hostname && <span className="text-ink-3"> on {job.hostname}</span>}
    </Link>,
    job.worker_id,
  );
  add("Leases lost in a row", job.lease_losses, job.lease_losses);
  add("If a dependency fails", job.on_dependency_failure, job.on_dependency_failure);
  add("Expires", <Time at={job.expire_at} />, job.expire_at);
  add("Held because", job.hold_reason, job.hold_reason);
  facts.push([
    "Retries",
    `${job.retry_backoff}, ${[...new Set([job.retry_base_delay, job.retry_max_delay])].join(" to ")}${job.retry_jitter ? `, ±${Math.round(job.retry_jitter * 100)}%` : ""}`,
  ]);
  add("Unique key", `${job.unique_key} until ${job.unique_until}`, job.unique_key);
  add(
    "Group",
    <Link to="/jobs" search={{ q: `group:${quoted(job.group ?? "")}` }} className="link">
      {job.group}
    </Link>,
    job.group,
  );
  add("Parent", <JobLink id={job.parent_id} />, job.parent_id);
  add(
    "Batch",
    <Link to="/batches/$id" params={{ id: job.batch_id ?? "" }} className="link font-mono text-xs">
      {job.batch_id}
    </Link>,
    job.batch_id,
  );
  add(
    "Chain",
    <Link to="/jobs" search={{ q: `chain:${quoted(job.chain_id ?? "")}` }} className="link font-mono text-xs">
      {job.chain_id}
    </Link>,
    job.chain_id,
  );
  return (
    <>
      <dl className="grid grid-cols-2 gap-x-6 gap-y-3 md:grid-cols-3 2xl:grid-cols-4">
        {facts.map(([term, value]) => (
          <div key={term} className="min-w-0">
            <dt className="text-xs text-ink-3">{term}</dt>
            <dd className="nums text-sm break-words">{value}</dd>
          </div>
        ))}
      </dl>
      {job.tags && (
        <ul className="mt-4 flex flex-wrap gap-1.5" aria-label="Tags">
          {Object.entries(job.tags).map(([key, value]) => (
            <li key={key}>
              <Link
                to="/jobs"
                search={{ q: `tag.${key}:${quoted(value)}` }}
                className="rounded-md border border-line bg-sunken px-2 py-0.5 text-xs hover:border-line-strong"
              >
                <span className="text-ink-3">{key}</span> {value}
              </Link>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

export function JobLink({ id }: { id: string | undefined }) {
  if (!id) return null;
  return (
    <Link to="/jobs/$id" params={{ id }} className="link font-mono text-xs break-all">
      {id}
    </Link>
  );
}
