// A list of jobs by filter: pages by cursor, rows that follow what happens to their jobs.
import { type InfiniteData, useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { call } from "@/api/client";
import type { Filter, Job, JobRow, LiveEvent, SearchPage } from "@/api/types";
import { touched, withRows } from "@/live/deltas";
import { useEvents, useLive, useScope } from "@/live/LiveProvider";
import type { Batch } from "@/live/stream";

type Pages = InfiniteData<SearchPage, string | undefined>;

/** Jobs on a page. */
const PAGE = 100;
/** Ids that are asked of the stream; an address can only be so long. */
const WATCHED_MAX = 150;
/** While the reader scrolls, the stream is left alone. */
const SETTLED_MS = 400;
/** Changed rows are read again together, at most this often. */
const REREAD_MS = 1_000;

/** What a filter asks for, whatever the moment it is asked at. */
const apartFromTimes = (filter: unknown): string =>
  JSON.stringify(filter).replace(/"\d{4}-\d\d-\d\dT[\d:.]+Z"/g, "");

export function useJobs(filter: Filter) {
  const queryKey = useMemo(() => ["search", filter] as const, [filter]);
  const query = useInfiniteQuery({
    queryKey,
    queryFn: async ({ pageParam, signal }): Promise<SearchPage> => {
      const page = await call<SearchPage>("/jobs/search", {
        method: "POST",
        body: { limit: PAGE, ...filter, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
        exact: true,
      });
      return { ...page, readAtMs: Date.now() };
    },
    // The same question a moment later: what it found before stays until it is answered.
    placeholderData: (known, before) =>
      before && apartFromTimes(before.queryKey[1]) === apartFromTimes(filter) ? known : undefined,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    // A list that was scrolled far is not read anew behind the reader's back.
    refetchOnWindowFocus: false,
    staleTime: 5_000,
  });
  const rows = useMemo(() => query.data?.pages.flatMap((page) => page.jobs) ?? [], [query.data]);
  return { ...query, rows, first: query.data?.pages[0], queryKey };
}

/** Keep the rows in sight up to date: the server tells which changed, and they are read again together. */
export function useFollowing(queryKey: readonly unknown[], visible: JobRow[]): void {
  const client = useQueryClient();
  const ids = useSettled(
    useMemo(() => visible.slice(0, WATCHED_MAX).map((row) => row.id), [visible]),
    SETTLED_MS,
  );
  const shown = useMemo(() => new Set(ids), [ids]);
  useScope({ jobIds: ids });

  const dirty = useRef(new Set<string>());
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);

  const reread = useCallback(async () => {
    timer.current = undefined;
    const wanted = [...dirty.current];
    dirty.current.clear();
    if (!wanted.length) return;
    const { jobs } = await call<{ jobs: Job[] }>("/jobs/bulk-get", {
      method: "POST",
      body: { job_ids: wanted },
      exact: true,
    });
    const newer = new Map(jobs.map((job) => [job.id, job]));
    const gone = new Set(wanted.filter((id) => !newer.has(id)));
    patch(client, queryKey, (found) => withRows(found, newer, gone));
  }, [client, queryKey]);
  const rereadSoon = useCallback(
    (ids: Iterable<string>, afterMs: number) => {
      for (const id of ids) dirty.current.add(id);
      if (dirty.current.size)
        timer.current ??= setTimeout(() => void reread().catch(() => undefined), afterMs);
    },
    [reread],
  );

  // While nobody listened anything may have happened to them.
  const { stream, paused } = useLive();
  useEffect(() => stream.onOpen(() => rereadSoon(shown, 0)), [stream, shown, rereadSoon]);
  const wasPaused = useRef(paused);
  useEffect(() => {
    if (wasPaused.current && !paused) rereadSoon(shown, 0);
    wasPaused.current = paused;
  }, [paused, shown, rereadSoon]);

  useEvents(
    useCallback(
      (events: LiveEvent[], batch: Batch) => {
        if (batch.gap) rereadSoon(shown, 0);
        const { changed, gone } = touched(shown, events);
        if (gone.size) patch(client, queryKey, (found) => withRows(found, new Map(), gone));
        rereadSoon(changed, REREAD_MS);
      },
      [client, queryKey, shown, rereadSoon],
    ),
  );
}

/** A value that has not changed for a while. The first one counts at once. */
function useSettled<T extends string[]>(value: T, afterMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    if (value.length === settled.length && value.every((each, at) => each === settled[at])) return;
    const timer = setTimeout(() => setSettled(value), settled.length ? afterMs : 0);
    return () => clearTimeout(timer);
  }, [value, settled, afterMs]);
  return settled;
}

function patch(
  client: ReturnType<typeof useQueryClient>,
  queryKey: readonly unknown[],
  change: (rows: JobRow[]) => JobRow[],
): void {
  client.setQueryData<Pages>(queryKey as unknown[], (known) => {
    if (!known) return known;
    let same = true;
    const pages = known.pages.map((page) => {
      const jobs = change(page.jobs);
      if (jobs === page.jobs) return page;
      same = false;
      return { ...page, jobs };
    });
    return same ? known : { ...known, pages };
  });
}
