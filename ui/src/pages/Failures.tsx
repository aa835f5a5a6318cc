import { useInfiniteQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { PartyPopper } from "lucide-react";
import { useMemo } from "react";
import { call } from "@/api/client";
import { beat } from "@/api/queries";
import type { Filter, SearchPage } from "@/api/types";
import { Page } from "@/app/Page";
import { QueryBar } from "@/jobs/QueryBar";
import { useFilter } from "@/jobs/useFilter";
import { group } from "@/lib/errorGroups";
import { number, plural } from "@/lib/format";
import { useScope } from "@/live/LiveProvider";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Freshness } from "@/ui/Freshness";
import { Panel } from "@/ui/Panel";
import { GroupList } from "./parts/GroupList";

export default function Failures() {
  const { q = "" } = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const { filter, refusal } = useFilter(q);
  useScope({});
  const wanted = useMemo<Filter>(
    () => ({ state: ["dead", "retrying"], ...filter, sort: "failed_at", limit: 1_000 }),
    [filter],
  );
  const found = useInfiniteQuery({
    queryKey: ["search", "failures", wanted],
    queryFn: ({ pageParam, signal }) =>
      call<SearchPage>("/jobs/search", {
        method: "POST",
        body: { ...wanted, ...(pageParam ? { cursor: pageParam } : {}) },
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    enabled: refusal === null,
    refetchInterval: (query) =>
      (query.state.data?.pages.length ?? 1) === 1 && !beat.paused ? 15_000 : false,
  });
  const rows = useMemo(() => found.data?.pages.flatMap((page) => page.jobs) ?? [], [found.data]);
  const groups = useMemo(() => group(rows), [rows]);
  const first = found.data?.pages[0];
  const partial = found.hasNextPage;
  return (
    <Page
      title="Failures"
      description="Grouped by what they have in common: numbers, ids and addresses are taken out of the messages."
    >
      <Panel flush className="mb-4">
        <div className="p-3">
          <QueryBar
            value={q}
            rows={rows.slice(0, 50)}
            placeholder="queue:emails age<1h"
            onSearch={(query) => void navigate({ to: "/failures", search: { q: query || undefined } })}
          />
        </div>
      </Panel>
      {refusal ? (
        <Failure error={refusal} />
      ) : found.isPending ? (
        <Skeleton rows={10} />
      ) : found.isError ? (
        <Failure error={found.error} retry={() => void found.refetch()} />
      ) : groups.length === 0 ? (
        <Panel>
          <Empty icon={<PartyPopper />} title={q ? "No failure fits" : "Nothing has failed"}>
            Jobs whose last attempt failed are gathered here by their error.
          </Empty>
        </Panel>
      ) : (
        <>
          <p className="nums mb-3 flex flex-wrap items-center gap-x-3 text-sm text-ink-2">
            {plural(groups.length, "group")} in{" "}
            {partial
              ? `the newest ${number(rows.length)} of ${number(first?.total ?? 0)}${first?.total_is_estimate ? "+" : ""} failed jobs`
              : plural(rows.length, "failed job")}
            <Freshness updatedAt={found.dataUpdatedAt} live={false} />
            {partial && (
              <Button size="sm" busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
                Look further back
              </Button>
            )}
          </p>
          <GroupList groups={groups} {...(q ? { query: q } : {})} />
        </>
      )}
    </Page>
  );
}
