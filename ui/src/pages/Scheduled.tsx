import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { AlarmClock, Plus } from "lucide-react";
import { useMemo, useState } from "react";
import { ApiError, call } from "@/api/client";
import { every, schedulesQuery } from "@/api/queries";
import type { Filter, Job, Schedule, State } from "@/api/types";
import { Page } from "@/app/Page";
import { JobTable } from "@/jobs/JobTable";
import { Button } from "@/ui/Button";
import { Empty, Failure, Skeleton } from "@/ui/Empty";
import { Panel } from "@/ui/Panel";
import { Tabs } from "@/ui/Tabs";
import { ScheduleCard } from "./parts/ScheduleCard";
import { ScheduleDialog } from "./parts/ScheduleDialog";

const LATER: Filter = { state: ["scheduled"], sort: "scheduled_at", order: "asc" };

export default function Scheduled() {
  const { tab = "cron" } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const schedules = useQuery(schedulesQuery);
  const [editing, setEditing] = useState<Schedule | "new" | null>(null);
  const states = useRunStates(schedules.data);
  const missing = schedules.error instanceof ApiError && schedules.error.status === 404;
  return (
    <Page
      title="Scheduled & Cron"
      description="Jobs that come by the clock, once or again and again."
      actions={
        <Button
          needs="schedules:write"
          look="primary"
          icon={<Plus className="size-4" />}
          disabled={missing}
          onClick={() => setEditing("new")}
        >
          New schedule
        </Button>
      }
    >
      <Tabs
        label="Kinds"
        value={tab}
        onChange={(next) =>
          void navigate({ to: "/scheduled", search: { tab: next === "cron" ? undefined : next } })
        }
        tabs={[
          {
            id: "cron",
            label: "Cron",
            count: schedules.data?.length,
            content: schedules.isPending ? (
              <Skeleton rows={6} />
            ) : schedules.isError && !schedules.data ? (
              <Failure error={schedules.error} retry={() => void schedules.refetch()} />
            ) : schedules.data.length === 0 ? (
              <Panel>
                <Empty
                  icon={<AlarmClock />}
                  title="No schedules"
                  action={
                    <Button needs="schedules:write" onClick={() => setEditing("new")}>
                      Make the first
                    </Button>
                  }
                >
                  A schedule enqueues a job by a cron expression, in its own time zone, once per time even
                  when the leader changes.
                </Empty>
              </Panel>
            ) : (
              <ul className="grid gap-3 xl:grid-cols-2">
                {schedules.data.map((schedule) => (
                  <ScheduleCard
                    key={schedule.id}
                    schedule={schedule}
                    states={states}
                    onEdit={() => setEditing(schedule)}
                  />
                ))}
              </ul>
            ),
          },
          {
            id: "later",
            label: "Delayed jobs",
            content: (
              <Panel flush>
                <JobTable
                  filter={LATER}
                  when="scheduled"
                  empty={
                    <Empty icon={<AlarmClock />} title="No job is to run later">
                      Enqueue one with a time, and it waits here until it is due.
                    </Empty>
                  }
                />
              </Panel>
            ),
          },
        ]}
      />
      {editing && (
        <ScheduleDialog schedule={editing === "new" ? null : editing} onClose={() => setEditing(null)} />
      )}
    </Page>
  );
}

/** The server reads so many at once. */
const RUNS_MAX = 1_000;

/** What became of the jobs that the schedules made lately. */
function useRunStates(schedules: Schedule[] | undefined): ReadonlyMap<string, State> | undefined {
  const ids = useMemo(
    () => schedules?.flatMap(({ runs }) => runs.flatMap((run) => run.job_id ?? [])).slice(0, RUNS_MAX) ?? [],
    [schedules],
  );
  const { data } = useQuery({
    queryKey: ["run-states", ids],
    enabled: ids.length > 0,
    queryFn: ({ signal }) =>
      call<{ jobs: Job[] }>("/jobs/bulk-get", { method: "POST", body: { job_ids: ids }, signal }),
    placeholderData: keepPreviousData,
    refetchInterval: every(10_000),
  });
  return useMemo(() => data && new Map(data.jobs.map((job) => [job.id, job.state])), [data]);
}
