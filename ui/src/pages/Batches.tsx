import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import clsx from "clsx";
import { Boxes } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { every } from "@/api/queries";
import type { Batch } from "@/api/types";
import { Page } from "@/app/Page";
import { curl } from "@/lib/commands";
import { number, shortId } from "@/lib/format";
import { quoted } from "@/query/complete";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";
import { BatchBar } from "./parts/BatchBar";

interface BatchPage {
  batches: Batch[];
  cursor?: string;
}

const HEAD = [
  { name: "Batch" },
  { name: "Progress", className: "@lg:w-1/3" },
  { name: "Done", num: true, className: "@max-3xl:hidden" },
  { name: "Failed", num: true, className: "@max-lg:pr-4" },
  { name: "Total", num: true, className: "@max-3xl:hidden" },
  { name: "Calls back", className: "@max-3xl:hidden" },
  { name: "Created", className: "@max-lg:hidden" },
];

export default function Batches() {
  const navigate = useNavigate();
  const [wanted, setWanted] = useState("");
  const found = useInfiniteQuery({
    queryKey: ["batches"],
    queryFn: ({ pageParam, signal }) =>
      call<BatchPage>(`/batches?limit=50${pageParam ? `&cursor=${encodeURIComponent(pageParam)}` : ""}`, {
        signal,
      }),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: (page) => page.cursor,
    refetchInterval: every(5_000),
  });
  const batches = found.data?.pages.flatMap((page) => page.batches) ?? [];
  return (
    <Page
      title="Batches & chains"
      description="Jobs that belong together. A batch calls back when all its jobs have ended; a chain runs them one after the other."
      actions={
        <form
          className="flex min-w-0 flex-1 gap-2"
          onSubmit={(event) => {
            event.preventDefault();
            const id = wanted.trim();
            if (id.startsWith("batch_")) void navigate({ to: "/batches/$id", params: { id } });
            else if (id) void navigate({ to: "/jobs", search: { q: `chain:${quoted(id)}` } });
          }}
        >
          <input
            className="field min-w-0 max-w-64 flex-1 font-mono text-xs"
            aria-label="Id of a batch or a chain"
            placeholder="batch_… or chn_…"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
          />
          <Button type="submit">Open</Button>
        </form>
      }
    >
      <Panel title="Batches, latest first" flush updatedAt={found.dataUpdatedAt}>
        {found.isPending ? (
          <Skeleton rows={6} />
        ) : found.isError && !found.data ? (
          <Failure error={found.error} retry={() => void found.refetch()} />
        ) : batches.length === 0 ? (
          <Empty icon={<Boxes />} title="No batches">
            <p className="mb-3">Enqueue jobs together and get one job back when all have ended:</p>
            <Command
              label="A batch by curl"
              text={curl("POST", "/enqueue/batch", {
                jobs: [
                  { queue: "resize", payload: { image: 1 } },
                  { queue: "resize", payload: { image: 2 } },
                ],
                batch: { callback_queue: "album-ready" },
              })}
            />
          </Empty>
        ) : (
          <Table head={HEAD}>
            {batches.map((batch) => (
              <tr key={batch.id}>
                <td className="whitespace-nowrap">
                  <Link to="/batches/$id" params={{ id: batch.id }} className="link font-mono text-xs">
                    <span className="@max-3xl:hidden">{batch.id}</span>
                    <span className="@3xl:hidden">{shortId(batch.id)}</span>
                  </Link>
                  {!batch.sealed && (
                    <span className="ml-2 rounded-full bg-accent-soft px-1.5 text-2xs text-accent">open</span>
                  )}
                  <span className="nums block text-xs text-ink-3 @3xl:hidden">
                    {number(batch.succeeded)} of {number(batch.total)}
                    <span className="@lg:hidden">
                      {" "}
                      · <Time at={batch.created_at} />
                    </span>
                  </span>
                </td>
                <td>
                  <BatchBar batch={batch} />
                </td>
                <td className="num @max-3xl:hidden">{number(batch.succeeded)}</td>
                <td className={clsx("num @max-lg:pr-4", batch.failed ? "text-bad" : "text-ink-3")}>
                  {number(batch.failed)}
                </td>
                <td className="num @max-3xl:hidden">{number(batch.total)}</td>
                <td className="text-ink-2 @max-3xl:hidden">{batch.callback_queue ?? "–"}</td>
                <td className="nums whitespace-nowrap text-ink-2 @max-lg:hidden">
                  <Time at={batch.created_at} />
                </td>
              </tr>
            ))}
          </Table>
        )}
      </Panel>
      {found.hasNextPage && (
        <div className="mt-4 text-center">
          <Button busy={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Load more
          </Button>
        </div>
      )}
      <p className="mt-4 text-sm text-ink-2">
        A chain is shown on each of its jobs.{" "}
        <Link
          to="/jobs"
          search={{ q: "sort:created_at" }}
          className="text-accent underline underline-offset-2"
        >
          Find a job
        </Link>{" "}
        or open a chain by its id above.
      </p>
    </Page>
  );
}
