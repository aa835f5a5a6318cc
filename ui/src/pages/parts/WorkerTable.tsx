import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { Worker } from "@/api/types";
import { Table } from "@/ui/Table";
import { Time } from "@/ui/Time";

const HEAD = [
  { name: "Worker" },
  { name: "Host", className: "max-md:hidden" },
  { name: "Jobs in hand", num: true },
  { name: "Queues" },
  { name: "Heard of" },
  { name: "Since", className: "max-md:hidden" },
];

export function WorkerTable({ workers }: { workers: Worker[] }) {
  return (
    <Table head={HEAD}>
      {workers.map((worker) => (
        <tr key={worker.id}>
          <td>
            <Link
              to="/worker"
              search={{ id: worker.id }}
              className="link flex items-center gap-2 font-medium whitespace-nowrap"
            >
              <span
                className={clsx(
                  "size-2 shrink-0 rounded-full",
                  worker.status === "active" ? "bg-good" : "border border-ink-3",
                )}
                aria-hidden="true"
              />
              {worker.id || "(unnamed)"}
              {worker.status !== "active" && (
                <span className="text-xs font-normal text-ink-3">{worker.status}</span>
              )}
            </Link>
            {worker.hostname && (
              <span className="block pl-4 text-xs whitespace-nowrap text-ink-3 md:hidden">
                {worker.hostname}
              </span>
            )}
          </td>
          <td className="whitespace-nowrap text-ink-2 max-md:hidden">{worker.hostname ?? "–"}</td>
          <td className="num">{worker.active_jobs}</td>
          <td className="max-w-80 max-md:min-w-40">
            <span className="flex flex-wrap gap-1">
              {worker.queue_names.map((name) => (
                <Link
                  key={name}
                  to="/queues/$name"
                  params={{ name }}
                  className="rounded bg-sunken px-1.5 text-xs text-ink-2 hover:text-ink"
                >
                  {name}
                </Link>
              ))}
            </span>
          </td>
          <td className="nums whitespace-nowrap text-ink-2">
            <Time at={worker.last_heartbeat} />
          </td>
          <td className="nums whitespace-nowrap text-ink-2 max-md:hidden">
            <Time at={worker.started_at} />
          </td>
        </tr>
      ))}
    </Table>
  );
}
