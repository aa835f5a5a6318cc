import { useNavigate, useSearch } from "@tanstack/react-router";
import { PartyPopper } from "lucide-react";
import { useMemo, useState } from "react";
import type { Filter, JobRow } from "@/api/types";
import { Page } from "@/app/Page";
import { JobTable } from "@/jobs/JobTable";
import { QueryBar } from "@/jobs/QueryBar";
import { useFilter } from "@/jobs/useFilter";
import { Empty, Failure } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";

export default function Dead() {
  const { q = "" } = useSearch({ strict: false }) as { q?: string };
  const navigate = useNavigate();
  const { filter, refusal, again } = useFilter(q);
  const [rows, setRows] = useState<JobRow[]>([]);
  const whole = useMemo<Filter>(() => ({ sort: "failed_at", ...filter, state: ["dead"] }), [filter]);
  return (
    <Page
      title="Dead letters"
      description="Jobs that used up their attempts, expired or were rejected. They stay until retried, deleted or past their retention."
    >
      <Panel flush>
        <div className="border-b border-line p-3">
          <QueryBar
            value={q}
            rows={rows}
            placeholder='queue:emails error~"timeout" age<24h'
            onSearch={(query) => void navigate({ to: "/dead", search: { q: query || undefined } })}
          />
        </div>
        {refusal ? (
          <Failure error={refusal} />
        ) : (
          <JobTable
            filter={whole}
            when="failed"
            onRows={setRows}
            onRefresh={again}
            empty={
              <Empty icon={<PartyPopper />} title={q ? "No dead job fits" : "Nothing is dead"}>
                {q
                  ? "Widen the query, or clear it."
                  : "Jobs that fail for good come here, with their last error."}
              </Empty>
            }
          />
        )}
      </Panel>
    </Page>
  );
}
