// Failures by what they have in common.
import { Link } from "@tanstack/react-router";
import { ChevronDown, RotateCcw } from "lucide-react";
import { useState } from "react";
import type { FailureGroup, Filter, State } from "@/api/types";
import { useMay } from "@/app/who";
import { BulkDialog } from "@/jobs/BulkDialog";
import { clip, number, plural, shortId } from "@/lib/format";
import { quoted } from "@/query/complete";
import { Button } from "@/ui/Button";
import { Fold } from "@/ui/Empty";
import { Sparkline } from "@/ui/Sparkline";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";

const QUEUES_SHOWN = 4;

interface Props {
  groups: FailureGroup[];
  /** What narrows them down, in words and as a filter: acting on a group means no job beyond it. */
  query: string;
  filter: Filter;
}

export function GroupList({ groups, query, filter }: Props) {
  return (
    <ul className="space-y-3">
      {groups.map((group, at) => (
        <GroupCard key={`${group.failure} ${at}`} group={group} query={query} filter={filter} />
      ))}
    </ul>
  );
}

function GroupCard({ group, query, filter }: { group: FailureGroup; query: string; filter: Filter }) {
  const [open, setOpen] = useState(false);
  const [retrying, setRetrying] = useState(false);
  const queues = Object.entries(group.queues);
  // Groups are named by their error: who may not read it cannot ask by it either.
  const mayRead = useMay("payload:read");
  const q = [query, `failure:${quoted(group.failure)}`].filter(Boolean).join(" ");
  return (
    <li className="panel">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="font-mono text-sm font-medium break-words">{group.failure}</h3>
          <p className="nums mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2">
            <span>
              first <Time at={group.first_at} />
            </span>
            <span>
              last <Time at={group.last_at} />
            </span>
            {queues.slice(0, QUEUES_SHOWN).map(([name, count]) => (
              <Link
                key={name}
                to="/queues/$name"
                params={{ name }}
                className="rounded bg-sunken px-1.5 py-px hover:text-ink"
              >
                {name} {count > 1 ? `× ${number(count)}` : ""}
              </Link>
            ))}
            {queues.length > QUEUES_SHOWN && (
              <span>and {plural(queues.length - QUEUES_SHOWN, "more queue", "more queues")}</span>
            )}
          </p>
        </div>
        <Sparkline
          values={group.timeline}
          label="When these failed"
          width={140}
          height={32}
          className="text-bad max-sm:hidden"
        />
        <div className="nums flex w-32 flex-col items-end text-right max-sm:w-full max-sm:flex-row max-sm:items-baseline max-sm:gap-2">
          <p className="text-xl font-semibold">{number(group.count)}</p>
          <p className="text-xs text-ink-3">
            {group.dead ? `${number(group.dead)} dead` : ""}
            {group.dead && group.retrying ? ", " : ""}
            {group.retrying ? `${number(group.retrying)} retrying` : ""}
          </p>
        </div>
        <div className="flex gap-1.5">
          <Button
            needs="jobs:bulk"
            size="sm"
            disabled={!group.dead}
            title={group.dead ? undefined : "All of them retry by themselves"}
            icon={<RotateCcw className="size-3.5" />}
            onClick={() => setRetrying(true)}
          >
            Retry group
          </Button>
          {mayRead && (
            <Link to="/jobs" search={{ q }}>
              <Button size="sm" tabIndex={-1}>
                Show jobs
              </Button>
            </Link>
          )}
          <Button
            size="sm"
            look="ghost"
            aria-expanded={open}
            aria-label={open ? "Show less" : "Show a sample"}
            icon={<ChevronDown className={open ? "size-4 rotate-180" : "size-4"} />}
            onClick={() => setOpen(!open)}
          />
        </div>
      </div>
      {open && (
        <div className="border-t border-line px-4 py-3">
          <Fold
            text={group.sample[0]?.error ?? ""}
            className="mb-2 font-mono text-xs break-words whitespace-pre-wrap text-ink-2"
          />
          <ul className="divide-y divide-line">
            {group.sample.map((job) => (
              <li key={job.id} className="flex items-center gap-3 py-1.5 text-xs">
                <Link to="/jobs/$id" params={{ id: job.id }} className="link font-mono">
                  {shortId(job.id)}
                </Link>
                <StateBadge state={job.state as State} />
                <span className="min-w-0 flex-1 truncate text-ink-3">{clip(job.error, 200)}</span>
                <Time at={job.failed_at} className="nums whitespace-nowrap text-ink-3" />
              </li>
            ))}
          </ul>
          {group.count > group.sample.length && (
            <p className="mt-1 text-xs text-ink-3">
              and {plural(group.count - group.sample.length, "other")}
            </p>
          )}
        </div>
      )}
      {retrying && (
        <BulkDialog
          action="retry"
          target={{ filter: { ...filter, failure: group.failure, state: ["dead"] } }}
          onClose={() => setRetrying(false)}
        />
      )}
    </li>
  );
}
