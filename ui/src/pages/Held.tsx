import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Check, Hand, X } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import { call } from "@/api/client";
import { every } from "@/api/queries";
import type { Filter, JobRow, LiveEvent, SearchPage } from "@/api/types";
import { useActs } from "@/app/jobActions";
import { Page } from "@/app/Page";
import { BulkDialog } from "@/jobs/BulkDialog";
import { number } from "@/lib/format";
import { useEvents, useScope } from "@/live/LiveProvider";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Freshness } from "@/ui/Freshness";
import { JsonView } from "@/ui/Json";
import { Panel, useStale } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";
import { Time } from "@/ui/Time";
import { RejectDialog } from "./parts/JobDialogs";

const HELD: Filter = { state: ["held"] };
const KEY = ["search", "held"];
/** However fast they come and go, the list is read again at most this often. */
const REREAD_MS = 1_000;

export default function Held() {
  useFollowHeld();
  const found = useInfiniteQuery({
    queryKey: KEY,
    queryFn: ({ pageParam, signal }) =>
      call<SearchPage>("/jobs/search", {
        method: "POST",
        body: { ...HELD, limit: 30, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
        exact: true,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: every(10_000),
  });
  const [all, setAll] = useState<"approve" | "reject" | null>(null);
  const [rejecting, setRejecting] = useState<JobRow | null>(null);
  const acts = useActs();
  const stale = useStale();
  const rows = found.data?.pages.flatMap((page) => page.jobs) ?? [];
  const total = found.data?.pages[0]?.total ?? 0;
  return (
    <Page
      title="Held"
      description="Jobs that do not run until somebody decides."
      actions={
        rows.length > 1 && (
          <>
            <Button needs="jobs:bulk" onClick={() => setAll("reject")}>
              Reject all…
            </Button>
            <Button needs="jobs:bulk" look="primary" onClick={() => setAll("approve")}>
              Approve all…
            </Button>
          </>
        )
      }
    >
      {found.isPending ? (
        <Skeleton rows={8} />
      ) : found.isError && !found.data ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : rows.length === 0 ? (
        <Panel>
          <Empty icon={<Hand />} title="Nothing waits for you">
            Jobs come here when a worker, a rule or a person holds them; approve lets them go on, reject gives
            them up.
          </Empty>
        </Panel>
      ) : (
        <>
          <p className="nums mb-3 flex items-center gap-3 text-sm text-ink-2">
            {number(total)} held <Freshness updatedAt={found.dataUpdatedAt} live />
          </p>
          <ul className={clsx("grid gap-3 lg:grid-cols-2", stale && "stale")}>
            {rows.map((row) => (
              <li key={row.id} className="panel flex flex-col p-4">
                <div className="flex items-start gap-3">
                  <StateIcon state="held" className="mt-1" />
                  <div className="min-w-0 flex-1">
                    <p className="text-base font-medium break-words">
                      {row.hold_reason || "Held without a reason"}
                    </p>
                    <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-3">
                      <Link to="/jobs/$id" params={{ id: row.id }} className="link font-mono">
                        {row.id}
                      </Link>
                      <Link to="/queues/$name" params={{ name: row.queue }} className="link">
                        {row.queue}
                      </Link>
                      <span>
                        created <Time at={row.created_at} />
                      </span>
                    </p>
                  </div>
                </div>
                <div className="mt-3 flex-1">
                  <JsonView value={row.payload} label={`Payload of ${row.id}`} size="small" />
                </div>
                <div className="mt-3 flex justify-end gap-2">
                  <Button
                    needs="jobs:reject"
                    icon={<X className="size-4" />}
                    onClick={() => setRejecting(row)}
                  >
                    Reject
                  </Button>
                  <Button
                    needs="jobs:approve"
                    look="primary"
                    icon={<Check className="size-4" />}
                    onClick={() => void acts.job("approve", row)}
                  >
                    Approve
                  </Button>
                </div>
              </li>
            ))}
          </ul>
          {found.hasNextPage && (
            <div className="mt-4 text-center">
              <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Load more
              </Button>
            </div>
          )}
        </>
      )}
      {all && (
        <BulkDialog action={all} target={{ filter: HELD, named: "held jobs" }} onClose={() => setAll(null)} />
      )}
      {rejecting && <RejectDialog job={rejecting} onClose={() => setRejecting(null)} />}
    </Page>
  );
}

/** Somebody else may decide first: what happens to held jobs is heard of, and the list read again. */
function useFollowHeld(): void {
  const client = useQueryClient();
  useScope({ types: ["held", "approved", "rejected", "cancelled", "deleted"] });
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  useEvents(
    useCallback(
      (events: LiveEvent[]) => {
        if (!events.some((event) => event.job_id)) return;
        timer.current ??= setTimeout(() => {
          timer.current = undefined;
          void client.invalidateQueries({ queryKey: KEY });
        }, REREAD_MS);
      },
      [client],
    ),
  );
}
