// Jobs, row by row. Only rows in sight are drawn, however many are loaded.
import { Link, useNavigate } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { RefreshCw, SearchX } from "lucide-react";
import { memo, type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Filter, JobRow } from "@/api/types";
import { useHotkeys } from "@/app/hotkeys";
import { useSettings } from "@/app/settings";
import { clip, number, shortId } from "@/lib/format";
import { progress } from "@/lib/history";
import { brief } from "@/lib/json";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Freshness } from "@/ui/Freshness";
import { useStale } from "@/ui/Panel";
import { Progress } from "@/ui/Progress";
import { StateBadge } from "@/ui/State";
import { Time } from "@/ui/Time";
import { BulkBar } from "./BulkBar";
import { useArrivals } from "./useArrivals";
import { useFollowing, useJobs } from "./useJobs";

export type When = "created" | "failed" | "scheduled" | "started";

interface Props {
  filter: Filter;
  /** Which time the last column shows. */
  when?: When;
  hideQueue?: boolean;
  empty?: ReactNode;
  onRows?: (rows: JobRow[]) => void;
  /** Left of the number of results. */
  heading?: ReactNode;
  /** Words for what the filter finds, for sentences. */
  named?: string;
  /** Asked before the list is read anew: whether the filter is another one by now, so that it is read anyway. */
  onRefresh?: () => boolean;
}

const WHEN: Record<When, { name: string; of(row: JobRow): string | undefined }> = {
  created: { name: "Created", of: (row) => row.created_at },
  failed: { name: "Failed", of: (row) => row.failed_at ?? row.created_at },
  scheduled: { name: "Due", of: (row) => row.scheduled_at },
  started: { name: "Started", of: (row) => row.started_at },
};

const COLUMNS =
  "grid-cols-[1.25rem_minmax(0,1fr)_auto] md:grid-cols-[2.25rem_7rem_minmax(0,1fr)_minmax(6rem,12rem)_4.500rem_7rem]";
const NO_QUEUE =
  "grid-cols-[1.25rem_minmax(0,1fr)_auto] md:grid-cols-[2.25rem_7rem_minmax(0,1fr)_4.500rem_7rem]";

export function JobTable({
  filter,
  when = "created",
  hideQueue = false,
  empty,
  onRows,
  heading,
  named,
  onRefresh,
}: Props) {
  const {
    rows,
    first,
    queryKey,
    isPending,
    isError,
    error,
    refetch,
    hasNextPage,
    isFetchingNextPage,
    fetchNextPage,
    isFetching,
    isPlaceholderData,
  } = useJobs(filter);
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState(-1);
  const navigate = useNavigate();
  const { density } = useSettings();
  const stale = useStale();
  const wide = useWide();
  const rowHeight = wide ? (density === "compact" ? 34 : 44) : 62;
  const host = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is above moves when the first page comes
  useEffect(() => setTop(host.current ? host.current.getBoundingClientRect().top + scrollY : 0), [first]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter, another choice
  useEffect(() => {
    setSelected(new Set());
    setAt(-1);
  }, [queryKey]);
  useEffect(() => onRows?.(rows), [rows, onRows]);

  const virtual = useWindowVirtualizer({
    count: rows.length,
    estimateSize: () => rowHeight,
    overscan: 12,
    scrollMargin: top,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows are as high as the settings say
  useEffect(() => virtual.measure(), [rowHeight]);
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? 0;
  const begin = items[0]?.index ?? 0;
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last >= rows.length - 30) void fetchNextPage();
  }, [last, rows.length, hasNextPage, isFetchingNextPage, fetchNextPage]);

  // The stream is told anew only when the reader has moved on by a good piece.
  const chunk = Math.floor(begin / 50) * 50;
  useFollowing(
    queryKey,
    useMemo(() => rows.slice(chunk, chunk + 120), [rows, chunk]),
  );

  const fresh = useArrivals(filter, first?.readAtMs);
  const refresh = () => {
    if (!onRefresh?.()) void refetch();
  };

  const toggle = (id: string) =>
    setSelected((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const move = (to: number) => {
    const next = Math.max(0, Math.min(rows.length - 1, to));
    setAt(next);
    virtual.scrollToIndex(next, { align: "auto" });
  };
  // The focus goes with it, so that Enter and Tab go on from there and it is read out.
  useEffect(() => {
    if (at >= 0)
      host.current?.querySelector<HTMLElement>(`[data-row="${at}"] a`)?.focus({ preventScroll: true });
  }, [at]);
  useHotkeys({
    j: () => move(at + 1),
    k: () => move(at - 1),
    x: () => rows[at] && toggle(rows[at].id),
    Enter: () => rows[at] && navigate({ to: "/jobs/$id", params: { id: rows[at].id } }),
    Escape: () => setSelected(new Set()),
    A: () => setSelected(new Set(rows.map((row) => row.id))),
    r: refresh,
  });

  if (isPending) return <Skeleton rows={8} />;
  if (isError && !rows.length) return <Failure error={error} retry={() => void refetch()} />;
  const total = first ? `${number(first.total)}${first.total_is_estimate ? "+" : ""}` : "";
  const columns = hideQueue ? NO_QUEUE : COLUMNS;
  return (
    <>
      <div className="flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 border-b border-line px-4 py-1.5 text-xs text-ink-2">
        {heading}
        <span className="nums" role="status" aria-live="polite">
          {rows.length ? `${total} ${first?.total === 1 ? "job" : "jobs"}` : "No jobs"}
          {first && (
            <span className="text-ink-3">
              {" "}
              · {first.duration_ms < 1 ? "<1" : Math.round(first.duration_ms)} ms
            </span>
          )}
        </span>
        <Freshness live />
        <div className="ml-auto flex items-center gap-2">
          {rows.length > 0 && <span className="hidden text-ink-3 md:inline">j k to move · x to select</span>}
          <Button
            size="sm"
            look="ghost"
            icon={<RefreshCw className="size-3.5" />}
            busy={isFetching && !isFetchingNextPage}
            onClick={refresh}
          >
            {fresh ? `Refresh, ${number(fresh)} new` : "Refresh"}
          </Button>
        </div>
      </div>
      {rows.length === 0 ? (
        (empty ?? (
          <Empty icon={<SearchX />} title="No jobs fit">
            Widen the query, or clear it to see all jobs.
          </Empty>
        ))
      ) : (
        <div
          role="table"
          aria-label="Jobs"
          aria-rowcount={first?.total_is_estimate ? -1 : (first?.total ?? rows.length) + 1}
          className={clsx((stale || isPlaceholderData) && "stale")}
        >
          <div role="rowgroup" className="hidden md:block">
            <div
              role="row"
              aria-rowindex={1}
              className={clsx(
                "grid h-9 items-center gap-3 border-b border-line px-4 text-xs font-medium text-ink-3",
                columns,
              )}
            >
              <span role="columnheader">
                <input
                  type="checkbox"
                  className="size-3.5 accent-accent"
                  aria-label="Select all loaded jobs"
                  checked={selected.size > 0 && selected.size === rows.length}
                  onChange={(event) =>
                    setSelected(event.target.checked ? new Set(rows.map((row) => row.id)) : new Set())
                  }
                />
              </span>
              <span role="columnheader">State</span>
              <span role="columnheader">Job</span>
              {!hideQueue && <span role="columnheader">Queue</span>}
              <span role="columnheader">Attempt</span>
              <span role="columnheader" className="text-right">
                {WHEN[when].name}
              </span>
            </div>
          </div>
          <div role="rowgroup" ref={host} className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => (
              <Row
                key={rows[item.index]!.id}
                row={rows[item.index]!}
                index={item.index}
                offset={item.start - top}
                height={rowHeight}
                columns={columns}
                hideQueue={hideQueue}
                when={when}
                current={item.index === at}
                selected={selected.has(rows[item.index]!.id)}
                onToggle={toggle}
              />
            ))}
          </div>
          {isFetchingNextPage && <Skeleton rows={2} />}
        </div>
      )}
      {selected.size > 0 && (
        <BulkBar
          selected={selected}
          rows={rows}
          filter={filter}
          {...(first ? { first } : {})}
          named={named ?? ""}
          onDone={() => setSelected(new Set())}
        />
      )}
    </>
  );
}

interface RowProps {
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

const Row = memo(function Row({
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
}: RowProps) {
  const moving = row.state === "active" ? progress(row.progress) : null;
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
      <span role="cell">
        <input
          type="checkbox"
          className="size-3.5 accent-accent"
          aria-label={`Select ${row.id}`}
          checked={selected}
          onChange={() => onToggle(row.id)}
        />
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

/** Whether there is room for all columns. */
export function useWide(): boolean {
  const [wide, setWide] = useState(() => matchMedia("(min-width: 48rem)").matches);
  useEffect(() => {
    const media = matchMedia("(min-width: 48rem)");
    const change = () => setWide(media.matches);
    media.addEventListener("change", change);
    return () => media.removeEventListener("change", change);
  }, []);
  return wide;
}
