import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { batchQuery } from "@/api/queries";
import type { Filter } from "@/api/types";
import { Page } from "@/app/Page";
import { JobTable } from "@/jobs/JobTable";
import { number } from "@/lib/format";
import { Failure, Skeleton } from "@/ui/Empty";
import { Fact } from "@/ui/Fact";
import { JsonView } from "@/ui/Json";
import { Panel } from "@/ui/Panel";
import { Time } from "@/ui/Time";
import { BatchBar } from "./parts/BatchBar";
import { JobLink } from "./parts/JobFacts";

export default function Batch() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const found = useQuery(batchQuery(id));
  const filter = useMemo<Filter>(() => ({ batch_id: id }), [id]);
  const above = { to: "/batches", name: "Batches & chains" };
  if (found.isPending)
    return (
      <Page title={id} above={above}>
        <Skeleton />
      </Page>
    );
  if (!found.data)
    return (
      <Page title="Batch" above={above}>
        <Failure error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  const batch = found.data;
  const state = batch.ended_at ? "ended" : batch.sealed ? "running" : "open: jobs may still join";
  return (
    <Page title={<span className="font-mono text-base break-all">{id}</span>} name={id} above={above}>
      <Panel title="Progress" updatedAt={found.dataUpdatedAt} className="mb-4">
        <BatchBar batch={batch} />
        <dl className="mt-4 grid grid-cols-2 gap-4 sm:grid-cols-4 lg:grid-cols-7">
          <Fact term="State">{state}</Fact>
          <Fact term="Done">{number(batch.succeeded)}</Fact>
          <Fact term="Failed">{number(batch.failed)}</Fact>
          <Fact term="To come">{number(batch.pending)}</Fact>
          <Fact term="Created">
            <Time at={batch.created_at} />
          </Fact>
          <Fact term="Calls back in">{batch.callback_queue ?? "nowhere"}</Fact>
          {batch.callback_job_id && (
            <Fact term="Callback">
              <JobLink id={batch.callback_job_id} />
            </Fact>
          )}
        </dl>
        {batch.callback_payload !== undefined && (
          <div className="mt-4">
            <JsonView value={batch.callback_payload} label="callback payload" />
          </div>
        )}
      </Panel>
      <Panel flush>
        <JobTable filter={filter} heading={<h2 className="text-sm font-semibold text-ink">Its jobs</h2>} />
      </Panel>
    </Page>
  );
}
