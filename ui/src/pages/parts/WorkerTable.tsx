import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import type { Worker } from "@/api/types";
import { Time } from "@/ui/Time";

export function WorkerTable({ workers }: { workers: Worker[] }) {
  return (
    <div className="relative overflow-x-auto">
      <table className="grid-table">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col">Host</th>
            <th scope="col" className="num">
              Jobs in hand
            </th>
            <th scope="col">Queues</th>
            <th scope="col">Heard of</th>
            <th scope="col">Since</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.id}>
              <td>
                <Link
                  to="/worker"
                  search={{ id: worker.id }}
                  className="link flex items-center gap-2 font-medium"
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
              </td>
              <td className="text-ink-2">{worker.hostname ?? "–"}</td>
              <td className="num">{worker.active_jobs}</td>
              <td className="max-w-80">
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
              <td className="nums whitespace-nowrap text-ink-2">
                <Time at={worker.started_at} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
