// Jobs, row by row. Only rows in sight are drawn, however many are loaded.
import { useNavigate } from "@tanstack/react-router";
import { useWindowVirtualizer } from "@tanstack/react-virtual";
import clsx from "clsx";
import { RefreshCw, SearchX } from "lucide-react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";
import type { Filter, JobRow } from "@/api/types";
import { useHotkeys } from "@/app/hotkeys";
import { useSettings } from "@/app/settings";
import { useMay } from "@/app/who";
import { number } from "@/lib/format";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Freshness } from "@/ui/Freshness";
import { useStale } from "@/ui/Panel";
import { BulkBar } from "./BulkBar";
import { Choice, JobTableRow, WHEN, type When } from "./JobTableRow";
import { useArrivals } from "./useArrivals";
import { useFollowing, useJobs } from "./useJobs";

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
  /** Jobs are chosen to do something to them. */
  const choosing = useMay("jobs:bulk");
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
    x: () => choosing && rows[at] && toggle(rows[at].id),
    Enter: () => rows[at] && navigate({ to: "/jobs/$id", params: { id: rows[at].id } }),
    Escape: () => setSelected(new Set()),
    A: () => choosing && setSelected(new Set(rows.map((row) => row.id))),
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
          {rows.length > 0 && (
            <span className="hidden text-ink-3 md:inline">
              {choosing ? "j k to move · x to select" : "j k to move"}
            </span>
          )}
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
          <div role="rowgroup">
            <div
              role="row"
              aria-rowindex={1}
              className={clsx(
                "grid h-9 items-center gap-3 border-b border-line px-4 text-xs font-medium text-ink-3",
                columns,
              )}
            >
              <span role="columnheader" className="h-full">
                {choosing && (
                  <Choice
                    label="Select all loaded jobs"
                    checked={selected.size > 0 && selected.size === rows.length}
                    onChange={(checked) => setSelected(new Set(checked ? rows.map((row) => row.id) : []))}
                  />
                )}
              </span>
              <span role="columnheader" className="hidden md:inline">
                State
              </span>
              <span role="columnheader">Job</span>
              {!hideQueue && (
                <span role="columnheader" className="hidden md:inline">
                  Queue
                </span>
              )}
              <span role="columnheader" className="hidden md:inline">
                Attempt
              </span>
              <span role="columnheader" className="text-right">
                {WHEN[when].name}
              </span>
            </div>
          </div>
          <div role="rowgroup" ref={host} className="relative" style={{ height: virtual.getTotalSize() }}>
            {items.map((item) => (
              <JobTableRow
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
