// How many jobs have come since a list was read: told by the counters that come anyway, not asked for.
import { useQuery } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { queuesQuery } from "@/api/queries";
import type { Filter } from "@/api/types";

/** Filters of which the counters of queues tell how many new jobs fit. */
const COUNTED = new Set(["queue", "state", "sort", "order", "limit"]);
/** Counters come up to a quarter of a second after what they count. */
const COUNTERS_LATE_MS = 500;

/** How many jobs came into the queues that are looked at since the list was read. Told by the counters, not asked. */
export function useArrivals(filter: Filter, readAtMs: number | undefined): number {
  const { data: queues } = useQuery(queuesQuery);
  const ever = useMemo(
    () =>
      queues?.reduce(
        (sum, queue) => (!filter.queue || queue.name === filter.queue ? sum + queue.enqueued : sum),
        0,
      ),
    [queues, filter.queue],
  );
  const latest = useRef(ever);
  latest.current = ever;
  const unknown = ever === undefined;
  const [before, setBefore] = useState<number | undefined>();
  useEffect(() => {
    setBefore(undefined);
    if (readAtMs === undefined || unknown) return;
    const timer = setTimeout(() => setBefore(latest.current), COUNTERS_LATE_MS);
    return () => clearTimeout(timer);
  }, [readAtMs, unknown]);
  // Jobs are born pending or scheduled: a list of others gets none by that.
  const open = !filter.state || filter.state.some((state) => state === "pending" || state === "scheduled");
  const counted = Object.keys(filter).every((member) => COUNTED.has(member));
  return open && counted && before !== undefined && ever !== undefined ? Math.max(0, ever - before) : 0;
}
