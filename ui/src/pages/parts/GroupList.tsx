// Failures by what they have in common.
import { Link } from "@tanstack/react-router";
import { ChevronDown, RotateCcw } from "lucide-react";
import { useMemo, useState } from "react";
import { BulkDialog } from "@/jobs/BulkDialog";
import { type Group, histogram } from "@/lib/errorGroups";
import { number, plural, shortId } from "@/lib/format";
import { quoted } from "@/query/complete";
import { Button } from "@/ui/Button";
import { Sparkline } from "@/ui/Sparkline";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";

export function GroupList({ groups, query }: { groups: Group[]; query?: string }) {
  const span = useMemo(() => {
    // At least an hour up to now, so that a burst looks like a burst.
    const to = Date.now();
    return { from: Math.min(to - 3_600_000, ...groups.map((group) => group.firstMs)), to };
  }, [groups]);
  return (
    <ul className="space-y-3">
      {groups.map((group) => (
        <GroupCard key={group.pattern} group={group} span={span} {...(query ? { query } : {})} />
      ))}
    </ul>
  );
}

function GroupCard({
  group,
  span,
  query,
}: {
  group: Group;
  span: { from: number; to: number };
  query?: string;
}) {
  const [open, setOpen] = useState(false);
  const [retrying, setRetrying] = useState(false);
  const dead = useMemo(() => group.jobs.filter((job) => job.state === "dead").map((job) => job.id), [group]);
  const q = [
    query,
    "state:dead,retrying",
    group.fragment.length > 2 ? `error~${quoted(group.fragment)}` : "has:errors",
  ]
    .filter(Boolean)
    .join(" ");
  return (
    <li className="panel">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-3 p-4">
        <div className="min-w-0 flex-1 basis-72">
          <h3 className="font-mono text-sm font-medium break-words">{group.pattern}</h3>
          <p className="nums mt-1.5 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-ink-2">
            <span>
              first <Time at={group.firstMs} />
            </span>
            <span>
              last <Time at={group.lastMs} />
            </span>
            {[...group.queues].slice(0, 4).map(([name, count]) => (
              <Link
                key={name}
                to="/queues/$name"
                params={{ name }}
                className="rounded bg-sunken px-1.5 py-px hover:text-ink"
              >
                {name} {count > 1 ? `× ${number(count)}` : ""}
              </Link>
            ))}
          </p>
        </div>
        <Sparkline
          values={histogram(group, span.from, span.to, 40)}
          label="When these failed"
          width={140}
          height={32}
          className="text-bad max-sm:hidden"
        />
        <div className="nums w-24 text-right">
          <p className="text-xl font-semibold">{number(group.jobs.length)}</p>
          <p className="text-xs text-ink-3">
            {group.dead ? `${number(group.dead)} dead` : ""}
            {group.dead && group.retrying ? ", " : ""}
            {group.retrying ? `${number(group.retrying)} retrying` : ""}
          </p>
        </div>
        <div className="flex gap-1.5">
          <Button
            size="sm"
            disabled={!dead.length}
            icon={<RotateCcw className="size-3.5" />}
            onClick={() => setRetrying(true)}
          >
            Retry group
          </Button>
          <Link to="/jobs" search={{ q }}>
            <Button size="sm" tabIndex={-1}>
              Show jobs
            </Button>
          </Link>
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
          <p className="mb-2 font-mono text-xs break-words text-ink-2">{group.sample}</p>
          <ul className="divide-y divide-line">
            {group.jobs.slice(0, 8).map((job) => (
              <li key={job.id} className="flex items-center gap-3 py-1.5 text-xs">
                <Link to="/jobs/$id" params={{ id: job.id }} className="link font-mono">
                  {shortId(job.id)}
                </Link>
                <StateBadge state={job.state} />
                <span className="min-w-0 flex-1 truncate text-ink-3">{job.last_error}</span>
                <Time at={job.failed_at} className="nums whitespace-nowrap text-ink-3" />
              </li>
            ))}
          </ul>
          {group.jobs.length > 8 && (
            <p className="mt-1 text-xs text-ink-3">and {plural(group.jobs.length - 8, "other")}</p>
          )}
        </div>
      )}
      {retrying && <BulkDialog action="retry" target={{ ids: dead }} onClose={() => setRetrying(false)} />}
    </li>
  );
}
