import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { ListChecks } from "lucide-react";
import { bulkTasksQuery } from "@/api/queries";
import type { BulkTask } from "@/api/types";
import { Page } from "@/app/Page";
import { VERBS } from "@/lib/actions";
import { number, plural } from "@/lib/format";
import { queryText } from "@/query/text";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Progress } from "@/ui/Progress";
import { Time } from "@/ui/Time";
import { TaskStatus } from "./parts/TaskStatus";

export default function Operations() {
  const tasks = useQuery(bulkTasksQuery);
  const list = tasks.data?.tasks ?? [];
  return (
    <Page
      title="Operations"
      description="What was done to many jobs at once. They run on the server, survive restarts and can be cancelled."
    >
      <Panel flush title="Latest first" updatedAt={tasks.dataUpdatedAt}>
        {tasks.isPending ? (
          <Skeleton rows={6} />
        ) : tasks.isError && !tasks.data ? (
          <Failure error={tasks.error} retry={() => void tasks.refetch()} />
        ) : list.length === 0 ? (
          <Empty icon={<ListChecks />} title="Nothing runs in the background">
            Choose jobs on the{" "}
            <Link to="/jobs" className="text-accent underline underline-offset-2">
              Jobs page
            </Link>{" "}
            and act on all that fit: large or paced ones appear here with their progress.
          </Empty>
        ) : (
          <ul className="divide-y divide-line">
            {list.map((task) => (
              <li key={task.id}>
                <Link
                  to="/operations/$id"
                  params={{ id: task.id }}
                  className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 px-4 py-3 hover:bg-hover md:grid-cols-[minmax(0,1fr)_14rem_7rem_7rem]"
                >
                  <span className="min-w-0">
                    <span className="block text-sm font-medium">{nameOf(task)}</span>
                    <span className="block truncate font-mono text-xs text-ink-3">
                      {task.filter ? queryText(task.filter) || "all jobs" : task.id}
                    </span>
                  </span>
                  <span className="max-md:order-3 max-md:col-span-2">
                    <Progress
                      value={task.processed}
                      max={Math.max(1, task.total)}
                      label={`Progress of ${task.id}`}
                      tone={
                        task.status === "completed" ? "good" : task.status === "failed" ? "bad" : "accent"
                      }
                    />
                    <span className="nums mt-1 block text-xs text-ink-3">
                      {number(task.processed)} of {number(task.total)}
                    </span>
                  </span>
                  <TaskStatus status={task.status} />
                  <Time at={task.created_at} className="nums text-right text-xs text-ink-3 max-md:hidden" />
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Panel>
    </Page>
  );
}

export const nameOf = (task: BulkTask): string => {
  const verb = VERBS[task.action]?.name ?? task.action;
  return `${verb} ${plural(task.total, "job")}${task.move_to_queue ? ` to ${task.move_to_queue}` : ""}`;
};
