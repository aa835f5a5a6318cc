// One job in a list: on one line where there is room, on two where there is not.
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { memo } from "react";
import type { JobRow } from "@/api/types";
import { useMay } from "@/app/who";
import { clip, shortId } from "@/lib/format";
import { progress } from "@/lib/history";
import { brief } from "@/lib/json";
import { Progress } from "@/ui/Progress";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";

export type When = "created" | "failed" | "scheduled" | "started";

export const WHEN: Record<When, { name: string; of(row: JobRow): string | undefined }> = {
  created: { name: "Created", of: (row) => row.created_at },
  failed: { name: "Failed", of: (row) => row.failed_at ?? row.created_at },
  scheduled: { name: "Due", of: (row) => row.scheduled_at },
  started: { name: "Started", of: (row) => row.started_at },
};

/** A box with room around it: a finger is wider than a box. */
export function Choice(props: { label: string; checked: boolean; onChange(checked: boolean): void }) {
  return (
    <label className="-ml-4 flex h-full items-center pr-2 pl-4">
      <input
        type="checkbox"
        className="size-3.5 accent-accent"
        aria-label={props.label}
        checked={props.checked}
        onChange={(event) => props.onChange(event.target.checked)}
      />
    </label>
  );
}

interface Props {
  row: JobRow;
  index: number;
  offset: number;
  height: number;
  columns: string;
  hideQueue: boolean;
  when: When;
  current: boolean;
  selected: boolean;
  onToggle(id: string): void;
}

export const JobTableRow = memo(function JobTableRow({
  row,
  index,
  offset,
  height,
  columns,
  hideQueue,
  when,
  current,
  selected,
  onToggle,
}: Props) {
  const moving = row.state === "active" ? progress(row.progress) : null;
  const choosing = useMay("jobs:bulk");
  const troubled = row.state === "dead" || row.state === "retrying";
  return (
    <div
      role="row"
      data-row={index}
      aria-rowindex={index + 2}
      aria-selected={selected}
      className={clsx(
        "absolute inset-x-0 grid items-center gap-x-3 border-b border-line px-4 text-sm",
        columns,
        selected ? "bg-accent-soft" : "hover:bg-hover",
        current && "shadow-[inset_3px_0_0_var(--accent)]",
      )}
      style={{ transform: `translateY(${offset}px)`, height }}
    >
      <span role="cell" className="h-full">
        {choosing && (
          <Choice label={`Select ${row.id}`} checked={selected} onChange={() => onToggle(row.id)} />
        )}
      </span>
      <span role="cell" className="hidden items-center text-xs md:flex">
        <StateBadge state={row.state} />
      </span>
      <span
        role="cell"
        className="flex min-w-0 flex-col justify-center md:flex-row md:items-center md:justify-start md:gap-3"
      >
        <span className="flex min-w-0 items-baseline gap-2 md:shrink-0">
          <Link
            to="/jobs/$id"
            params={{ id: row.id }}
            className="link shrink-0 font-mono text-xs"
            title={row.id}
          >
            {shortId(row.id)}
          </Link>
          {!hideQueue && <span className="truncate text-xs text-ink-2 md:hidden">{row.queue}</span>}
        </span>
        {moving?.percent !== undefined ? (
          <span className="flex min-w-0 items-center gap-2 md:w-56">
            <span className="flex-1">
              <Progress value={moving.percent} label={`Progress of ${row.id}`} />
            </span>
            <span className="truncate text-xs text-ink-3">{moving.text}</span>
          </span>
        ) : (
          <span
            className={clsx(
              "truncate text-xs",
              troubled && row.last_error ? "text-bad" : "font-mono text-ink-3",
            )}
          >
            {troubled && row.last_error
              ? clip(row.last_error, 300)
              : row.state === "held" && row.hold_reason
                ? row.hold_reason
                : brief(row.payload)}
          </span>
        )}
      </span>
      {!hideQueue && (
        <span role="cell" className="hidden min-w-0 truncate text-xs md:block">
          <Link to="/queues/$name" params={{ name: row.queue }} className="link text-ink-2">
            {row.queue}
          </Link>
        </span>
      )}
      <span role="cell" className="nums hidden text-xs text-ink-2 md:block">
        {row.attempt}/{row.max_retries}
      </span>
      <span role="cell" className="flex flex-col items-end text-right text-xs text-ink-2">
        <StateBadge state={row.state} className="md:hidden" />
        <Time at={WHEN[when].of(row)} className="nums whitespace-nowrap" />
      </span>
    </div>
  );
});
