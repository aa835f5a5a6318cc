import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { Worker } from "@/api/types";
import { statusOf } from "@/lib/listening";
import { useNow } from "@/lib/useNow";
import { QueueChips } from "@/ui/QueueChips";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

/** Where there is no room for them, host and queues stand below the name. */
const HEAD = [
  { name: "Worker" },
  { name: "Host", className: "@max-2xl:hidden" },
  { name: "Jobs in hand", num: true, className: "@max-lg:min-w-16 @max-lg:whitespace-normal" },
  { name: "Queues", className: "@max-2xl:hidden" },
  { name: "Heard of", className: "@max-2xl:pr-4" },
  { name: "Since", className: "@max-2xl:hidden" },
];

export function WorkerTable({ workers }: { workers: Worker[] }) {
  const now = useNow(5_000);
  return (
    <Table head={HEAD}>
      {workers.map((worker) => {
        const status = statusOf(worker, now);
        return (
          <tr key={worker.id}>
            <td className="@max-2xl:w-full">
              <Link
                to="/worker"
                search={{ id: worker.id }}
                className="link flex items-center gap-2 font-medium @2xl:whitespace-nowrap"
              >
                <span
                  className={clsx(
                    "size-2 shrink-0 rounded-full",
                    status === "active" ? "bg-good" : status === "late" ? "bg-warn" : "border border-ink-3",
                  )}
                  aria-hidden="true"
                />
                <span className="wrap-anywhere">{worker.id || "(unnamed)"}</span>
                {status !== "active" && (
                  <span
                    className={clsx("text-xs font-normal", status === "late" ? "text-warn" : "text-ink-3")}
                  >
                    {status}
                  </span>
                )}
              </Link>
              {worker.hostname && (
                <span className="block pl-4 text-xs text-ink-3 wrap-anywhere @2xl:hidden">
                  {worker.hostname}
                </span>
              )}
              <span className="mt-1 flex flex-wrap gap-1 pl-4 @2xl:hidden">
                <QueueChips names={worker.queue_names} />
              </span>
            </td>
            <td className="whitespace-nowrap text-ink-2 @max-2xl:hidden">{worker.hostname ?? "–"}</td>
            <td className="num">{worker.active_jobs}</td>
            <td className="max-w-80 @max-2xl:hidden">
              <span className="flex flex-wrap gap-1">
                <QueueChips names={worker.queue_names} />
              </span>
            </td>
            <td className="nums whitespace-nowrap text-ink-2 @max-2xl:pr-4">
              <Time at={worker.last_heartbeat} />
            </td>
            <td className="nums whitespace-nowrap text-ink-2 @max-2xl:hidden">
              <Time at={worker.started_at} />
            </td>
          </tr>
        );
      })}
    </Table>
  );
}
