import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { PartyPopper } from "lucide-react";
import { useState } from "react";
import { failuresQuery } from "@/api/queries";
import { Page } from "@/app/Page";
import { QueryBar } from "@/jobs/QueryBar";
import { useFilter } from "@/jobs/useFilter";
import { plural } from "@/lib/format";
import { useScope } from "@/live/LiveProvider";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Freshness } from "@/ui/Freshness";
import { Panel } from "@/ui/Panel";
import { GroupList } from "./parts/GroupList";

const FEW = 50;
/** The server names no more. */
const ALL = 200;

export default function Failures() {
  const { q = "" } = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const { filter, refusal } = useFilter(q);
  const [limit, setLimit] = useState(FEW);
  useScope({});
  const found = useQuery({ ...failuresQuery(q, limit), enabled: refusal === null });
  const groups = found.data?.failures ?? [];
  return (
    <Page
      title="Failures"
      description="Grouped by what they have in common: numbers, ids and addresses are taken out of the messages."
    >
      <Panel flush className="mb-4">
        <div className="p-3">
          <QueryBar
            value={q}
            placeholder="queue:emails age<1h"
            onSearch={(query) => void navigate({ to: "/failures", search: { q: query || undefined } })}
          />
        </div>
      </Panel>
      {refusal ? (
        <Failure error={refusal} />
      ) : found.isPending ? (
        <Skeleton rows={10} />
      ) : found.isError && !found.data ? (
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
            {plural(found.data.jobs, "failed job")} in {plural(found.data.total, "group")}
            <Freshness updatedAt={found.dataUpdatedAt} live={false} />
            {found.data.total > groups.length && limit < ALL && (
              <Button size="sm" busy={found.isFetching} onClick={() => setLimit(ALL)}>
                Show more than the {groups.length} largest
              </Button>
            )}
          </p>
          <GroupList groups={groups} query={q} filter={filter} />
        </>
      )}
    </Page>
  );
}
