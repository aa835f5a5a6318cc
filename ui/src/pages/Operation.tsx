import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import { Ban } from "lucide-react";
import { useState } from "react";
import { call } from "@/api/client";
import { bulkTaskQuery } from "@/api/queries";
import { Page } from "@/app/Page";
import { number, plural } from "@/lib/format";
import { duration, ms } from "@/lib/time";
import { useNow } from "@/lib/useNow";
import { queryText } from "@/query/text";
import { Button } from "@/ui/Button";
import { Failure, Skeleton } from "@/ui/Empty";
import { Fact } from "@/ui/Fact";
import { Panel } from "@/ui/Panel";
import { Progress } from "@/ui/Progress";
import { said, sayError } from "@/ui/Toast";
import { nameOf } from "./Operations";
import { JobLink } from "./parts/JobFacts";
import { TaskStatus } from "./parts/TaskStatus";

export default function Operation() {
  const { id = "" } = useParams({ strict: false }) as { id?: string };
  const found = useQuery(bulkTaskQuery(id));
  const client = useQueryClient();
  const now = useNow(1_000);
  const [busy, setBusy] = useState(false);
  const above = { to: "/operations", name: "Operations" };
  if (found.isPending)
    return (
      <Page title={id} above={above}>
        <Skeleton />
      </Page>
    );
  if (!found.data)
    return (
      <Page title={id} above={above}>
        <Failure error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  const task = found.data;
  const running = task.status === "queued" || task.status === "running";
  const elapsed = (ms(task.finished_at) ?? now) - (ms(task.created_at) ?? now);
  const pace = elapsed > 0 ? task.processed / (elapsed / 1_000) : 0;
  const left = running && pace > 0 ? ((task.total - task.processed) / pace) * 1_000 : undefined;
  const cancel = async () => {
    setBusy(true);
    try {
      await call(`/bulk/${encodeURIComponent(id)}/cancel`, { method: "POST" });
      said("Cancelled. What was done stays done.");
      await client.invalidateQueries({ queryKey: ["bulk"] });
    } catch (error) {
      sayError(error, "Could not cancel");
    }
    setBusy(false);
  };
  return (
    <Page
      above={above}
      name={nameOf(task)}
      title={
        <span className="flex flex-wrap items-center gap-3">
          {nameOf(task)} <TaskStatus status={task.status} />
        </span>
      }
      actions={
        running && (
          <Button needs="jobs:bulk" icon={<Ban className="size-4" />} busy={busy} onClick={cancel}>
            Cancel operation
          </Button>
        )
      }
    >
      <Panel title="Progress" updatedAt={found.dataUpdatedAt}>
        <div className="nums mb-2 flex justify-between text-sm">
          <span>
            {number(task.processed)} of {number(task.total)}
          </span>
          <span>{task.total ? `${Math.floor((100 * task.processed) / task.total)}%` : ""}</span>
        </div>
        <Progress
          value={task.processed}
          max={Math.max(1, task.total)}
          label="Progress of the operation"
          tone={task.status === "completed" ? "good" : task.status === "failed" ? "bad" : "accent"}
        />
        <dl className="mt-5 grid grid-cols-2 gap-4 sm:grid-cols-4 xl:grid-cols-7">
          <Fact term="Changed">{number(task.affected)}</Fact>
          <Fact term="Left alone">{number(task.skipped)}</Fact>
          <Fact term={running ? "Running for" : "Took"}>{duration(Math.max(0, elapsed))}</Fact>
          <Fact term="Remaining">{left === undefined ? "–" : `≈ ${duration(left)}`}</Fact>
          <Fact term="Pace">{pace ? `${number(Math.round(pace))}/s` : "–"}</Fact>
          <Fact term="Pace limit">{task.rate ? `${number(task.rate)}/s` : "none"}</Fact>
          <Fact term="Id">
            <span className="font-mono text-xs">{task.id}</span>
          </Fact>
        </dl>
        {task.filter && (
          <p className="mt-4 text-sm text-ink-2">
            Jobs that fit{" "}
            <Link to="/jobs" search={{ q: queryText(task.filter) }} className="link font-mono text-xs">
              {queryText(task.filter) || "all jobs"}
            </Link>
          </p>
        )}
        {task.error && <p className="mt-4 text-sm text-bad">{task.error}</p>}
      </Panel>
      {task.failures.length > 0 && (
        <Panel
          title={`Left alone, ${task.skipped > task.failures.length ? `the first ${task.failures.length}` : plural(task.failures.length, "job")}`}
          flush
          className="mt-4"
        >
          <ul className="divide-y divide-line">
            {task.failures.map((failure) => (
              <li
                key={failure.job_id}
                className="grid gap-x-4 px-4 py-2 text-xs sm:grid-cols-[18rem_minmax(0,1fr)]"
              >
                <JobLink id={failure.job_id} />
                <span className="text-ink-2">{failure.error}</span>
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </Page>
  );
}
