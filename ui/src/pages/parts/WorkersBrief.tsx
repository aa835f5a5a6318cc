import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { workersQuery } from "@/api/queries";
import { plural } from "@/lib/format";
import { lateOnes, statusOf } from "@/lib/listening";
import { useNow } from "@/lib/useNow";
import { Failure, Skeleton } from "@/ui/Empty";

/** How many there are, and the first few. */
export function WorkersBrief() {
  const { data, isPending, error, refetch } = useQuery(workersQuery);
  const now = useNow(5_000);
  if (isPending) return <Skeleton rows={3} />;
  if (!data) return <Failure error={error} retry={() => void refetch()} />;
  const active = data.filter((worker) => statusOf(worker, now) === "active");
  const busy = data.reduce((total, worker) => total + worker.active_jobs, 0);
  return (
    <>
      <p className="nums px-4 py-2.5 text-sm text-ink-2">
        {plural(active.length, "worker")} connected{lateOnes(data, now)}, {plural(busy, "job")} in hand
      </p>
      <ul className="divide-y divide-line border-t border-line">
        {active.slice(0, 5).map((worker) => (
          <li key={worker.id}>
            <Link
              to="/worker"
              search={{ id: worker.id }}
              className="flex items-center gap-2 px-4 py-2 text-sm hover:bg-hover"
            >
              <span className="min-w-0 flex-1">
                <span className="block truncate">{worker.id || "(unnamed)"}</span>
                <span className="block truncate text-xs text-ink-3">{worker.queue_names.join(", ")}</span>
              </span>
              <span className="nums text-xs text-ink-2">{plural(worker.active_jobs, "job")}</span>
            </Link>
          </li>
        ))}
        {active.length === 0 && <li className="px-4 py-3 text-sm text-ink-3">No worker polls for jobs.</li>}
      </ul>
    </>
  );
}
