import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import clsx from "clsx";
import { Ellipsis, Pencil, Play, Trash2 } from "lucide-react";
import { Fragment, useState } from "react";
import { call } from "@/api/client";
import type { Enqueued, FireTimes, Schedule, State } from "@/api/types";
import { useMay } from "@/app/who";
import { inWords } from "@/lib/cron";
import { number, plural, shortId } from "@/lib/format";
import { dayOf, exact } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { Menu, MenuItem, MenuLine } from "@/ui/Menu";
import { Time } from "@/ui/Time";
import { said, sayError } from "@/ui/Toast";

/** As many runs as the server remembers of each schedule. */
const SLOTS = 10;

function NextRuns({ schedule }: { schedule: Schedule }) {
  const { data } = useQuery({
    queryKey: ["next-runs", schedule.id, schedule.version, schedule.next_run],
    queryFn: ({ signal }) =>
      call<FireTimes>(`/schedules/${encodeURIComponent(schedule.id)}/preview?n=4`, { signal }),
    staleTime: Number.POSITIVE_INFINITY,
  });
  const now = useNow(60_000);
  return (
    <p className="nums text-right text-xs text-ink-3">
      {data && data.runs.length > 1 && "then "}
      {data?.runs.slice(1).map((run, at) => (
        <Fragment key={run.at}>
          {at ? ", " : ""}
          <time dateTime={run.at} title={exact(Date.parse(run.at))} className="whitespace-nowrap">
            {dayOf(run.local, now)} {run.local.slice(11, 16)}
          </time>
        </Fragment>
      ))}
    </p>
  );
}

/** How a run ended, by the state of its job. */
const RUN: Record<State, string> = {
  pending: "bg-line-strong",
  scheduled: "bg-line-strong",
  held: "bg-s-held",
  active: "bg-s-active",
  retrying: "bg-s-retrying",
  completed: "bg-good",
  dead: "border-2 border-bad",
  cancelled: "bg-s-cancelled",
};
const runText = (at: string, how: string | undefined) =>
  [exact(Date.parse(at)), how].filter(Boolean).join(": ");

interface Props {
  schedule: Schedule;
  /** Of the jobs it made lately, as far as they are known. */
  states?: ReadonlyMap<string, State> | undefined;
  onEdit(): void;
}

export function ScheduleCard({ schedule, states, onEdit }: Props) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [deleting, setDeleting] = useState(false);
  /** What the switch was just set to: shown at once, until the server has said what it is. */
  const [wanted, setWanted] = useState<boolean | null>(null);
  const enabled = wanted ?? schedule.enabled;
  const target = `/schedules/${encodeURIComponent(schedule.id)}`;
  const run = async (doing: string, work: () => Promise<unknown>) => {
    try {
      await work();
      await client.invalidateQueries({ queryKey: ["schedules"] });
    } catch (error) {
      sayError(error, doing);
      void client.invalidateQueries({ queryKey: ["schedules"] });
    }
  };
  const enable = async (next: boolean): Promise<void> => {
    setWanted(next);
    await run("Could not change it", async () => {
      await call(target, { method: "PUT", body: { enabled: next } });
      said(`${schedule.name} ${next ? "runs again" : "is switched off"}`, {
        label: "Undo",
        run: () => void enable(!next),
      });
    });
    setWanted(null);
  };
  const mayWrite = useMay("schedules:write");
  const runNow = () =>
    run("Could not run it", async () => {
      const made = await call<Enqueued>(`${target}/run`, { method: "POST" });
      said(`Enqueued ${shortId(made.job_id)}`, {
        label: "Show",
        run: () => void navigate({ to: "/jobs/$id", params: { id: made.job_id } }),
      });
    });
  return (
    <li className={clsx("panel p-4", !enabled && "bg-sunken")}>
      <div className="flex flex-wrap items-start gap-x-3 gap-y-2">
        <div className="min-w-0 flex-1 basis-48">
          <h3 className="flex items-center gap-2 text-base font-medium">
            <span className="truncate">{schedule.name}</span>
            {!enabled && (
              <span className="rounded-full bg-line px-2 text-2xs font-normal text-ink-2">off</span>
            )}
          </h3>
          <p className="mt-0.5 text-sm">{inWords(schedule.cron) ?? schedule.cron}</p>
          <p className="text-xs text-ink-3">
            <code className="font-mono">{schedule.cron}</code> · {schedule.timezone} ·{" "}
            <Link to="/queues/$name" params={{ name: schedule.queue }} className="link">
              {schedule.queue}
            </Link>
          </p>
        </div>
        <label className="flex h-7 cursor-pointer items-center gap-2 text-xs text-ink-2">
          <input
            type="checkbox"
            role="switch"
            disabled={!mayWrite}
            checked={enabled}
            aria-label={`Enable ${schedule.name}`}
            onChange={(event) => void enable(event.target.checked)}
          />
        </label>
        <Button
          needs="schedules:write"
          size="sm"
          icon={<Play className="size-3.5" />}
          onClick={() => void runNow()}
        >
          Run now
        </Button>
        <Menu
          trigger={
            <Button
              needs="schedules:write"
              size="sm"
              look="ghost"
              aria-label={`More about ${schedule.name}`}
              icon={<Ellipsis className="size-4" />}
            />
          }
        >
          <MenuItem icon={<Pencil />} onSelect={onEdit}>
            Edit…
          </MenuItem>
          <MenuLine />
          <MenuItem danger icon={<Trash2 />} onSelect={() => setDeleting(true)}>
            Delete…
          </MenuItem>
        </Menu>
      </div>
      <dl className="nums mt-4 grid grid-cols-3 gap-3 text-sm">
        <div>
          <dt className="text-xs text-ink-3">Next</dt>
          <dd>{schedule.enabled ? <Time at={schedule.next_run} /> : "–"}</dd>
        </div>
        <div>
          <dt className="text-xs text-ink-3">Last</dt>
          <dd>
            {schedule.last_job_id ? (
              <Link to="/jobs/$id" params={{ id: schedule.last_job_id }} className="link">
                <Time at={schedule.last_run} />
              </Link>
            ) : (
              <Time at={schedule.last_run} />
            )}
          </dd>
        </div>
        <div>
          <dt className="text-xs text-ink-3">So far</dt>
          <dd>
            {plural(schedule.fired, "run")}
            {schedule.skipped ? `, ${number(schedule.skipped)} skipped` : ""}
          </dd>
        </div>
      </dl>
      <div className="mt-3 flex items-end justify-between gap-4">
        <ul className="flex gap-1" aria-label="Latest runs">
          {Array.from({ length: Math.max(0, SLOTS - schedule.runs.length) }, (_, at) => (
            <li key={`empty-${at}`} className="h-5 w-2 rounded-sm bg-line" aria-hidden="true" />
          ))}
          {schedule.runs.map((each) => (
            <li key={each.at}>
              {each.job_id ? (
                <Link
                  to="/jobs/$id"
                  params={{ id: each.job_id }}
                  className={clsx(
                    "block h-5 w-2 rounded-sm hover:opacity-70",
                    RUN[states?.get(each.job_id) ?? "pending"],
                  )}
                  aria-label={runText(each.at, states?.get(each.job_id))}
                  title={runText(each.at, states?.get(each.job_id))}
                />
              ) : (
                <span
                  className="block h-5 w-2 rounded-sm border border-ink-3"
                  role="img"
                  aria-label={runText(each.at, each.note ?? "no job")}
                  title={runText(each.at, each.note ?? "no job")}
                />
              )}
            </li>
          ))}
        </ul>
        {schedule.enabled && <NextRuns schedule={schedule} />}
      </div>
      <Dialog
        open={deleting}
        onClose={() => setDeleting(false)}
        title={`Delete ${schedule.name}`}
        description="It makes no more jobs. Jobs it made stay. This cannot be undone."
        footer={
          <>
            <Button onClick={() => setDeleting(false)}>Back</Button>
            <Button
              look="danger"
              onClick={() =>
                void run("Could not delete it", async () => {
                  await call(target, { method: "DELETE" });
                  said(`${schedule.name} deleted`);
                })
              }
            >
              Delete schedule
            </Button>
          </>
        }
      />
    </li>
  );
}
