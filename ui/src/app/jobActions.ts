// Doing things to jobs and queues, with a word about how it went and, where it is exact, a way back.
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { call } from "@/api/client";
import type { BulkAction, BulkDone, BulkOrder, BulkQueued, Job, Queue, State } from "@/api/types";
import { VERBS } from "@/lib/actions";
import { plural, shortId } from "@/lib/format";
import { said, sayError } from "@/ui/Toast";

const path = encodeURIComponent;

export function useActs() {
  const client = useQueryClient();
  return useMemo(() => acts(client), [client]);
}

/** After a change everything shown may be different; only what is shown is asked for again. */
const refresh = (client: QueryClient) => client.invalidateQueries({ refetchType: "active" });

function acts(client: QueryClient) {
  const run = async (doing: string, work: () => Promise<void>): Promise<boolean> => {
    try {
      await work();
      await refresh(client);
      return true;
    } catch (error) {
      sayError(error, doing);
      return false;
    }
  };
  const post = (target: string, body?: unknown) =>
    call<{ status: string }>(target, { method: "POST", body: body ?? {} });

  return {
    job: (
      action: BulkAction,
      job: Pick<Job, "id" | "state" | "queue" | "priority">,
      extra: Record<string, unknown> = {},
    ) =>
      run(`${VERBS[action].name} failed`, async () => {
        const target = `/jobs/${path(job.id)}`;
        if (action === "delete") await call(target, { method: "DELETE" });
        else await post(`${target}/${action === "change_priority" ? "priority" : action}`, extra);
        said(`${shortId(job.id)} ${VERBS[action].done}`, undoOne(action, job));
      }),

    bulk: (order: BulkOrder, undo?: BulkOrder) =>
      run(`${VERBS[order.action].name} failed`, async () => {
        const answer = await call<BulkDone | BulkQueued>("/jobs/bulk", { method: "POST", body: order });
        if ("bulk_operation_id" in answer) {
          said(
            `${VERBS[order.action].doing} about ${plural(answer.estimated_total, "job")} in the background`,
          );
          return;
        }
        const left = answer.skipped ? `; ${plural(answer.skipped, "other")} left alone` : "";
        said(
          `${plural(answer.affected, "job")} ${VERBS[order.action].done}${left}`,
          undo && answer.affected ? { label: "Undo", run: () => void acts(client).bulk(undo) } : undefined,
        );
      }),

    queue: (verb: "pause" | "resume" | "drain", name: string) =>
      run(`Could not ${verb} ${name}`, async () => {
        await post(`/queues/${path(name)}/${verb}?existing=1`);
        const words = {
          pause: "is paused",
          resume: "goes on",
          drain: "drains: active jobs finish, no others begin",
        };
        const back = verb === "resume" ? "pause" : "resume";
        said(`${name} ${words[verb]}`, { label: "Undo", run: () => void acts(client).queue(back, name) });
      }),

    clear: (name: string) =>
      run(`Could not clear ${name}`, async () => {
        const { deleted } = await call<{ deleted: number }>(`/queues/${path(name)}/clear`, {
          method: "POST",
        });
        said(`${name} cleared: ${plural(deleted, "job")} removed`);
      }),

    destroy: (name: string) =>
      run(`Could not destroy ${name}`, async () => {
        const { deleted } = await call<{ deleted: number }>(`/queues/${path(name)}?confirm=true`, {
          method: "DELETE",
        });
        client.setQueryData<Queue[]>(["queues"], (known) => known?.filter((queue) => queue.name !== name));
        said(`${name} destroyed with ${plural(deleted, "job")}`);
      }),

    limits: (queue: Queue, limits: Limits) =>
      run(`Could not change the limits of ${queue.name}`, async () => {
        await setLimits(queue.name, limits);
        const before = limitsOf(queue);
        said(`Limits of ${queue.name} changed`, {
          label: "Undo",
          run: () => void run("Could not undo", () => setLimits(queue.name, before)),
        });
      }),
  };

  function undoOne(action: BulkAction, job: Pick<Job, "id" | "state" | "queue" | "priority">) {
    const inverse = VERBS[action].inverse;
    if (!inverse?.from.includes(job.state as State)) return undefined;
    const order: BulkOrder = { action: inverse.action, job_ids: [job.id] };
    if (inverse.action === "move") order.move_to_queue = job.queue;
    return { label: "Undo", run: () => void acts(client).bulk(order) };
  }
}

export interface Limits {
  maxConcurrency?: number | undefined;
  rate?: number | undefined;
  windowMs?: number | undefined;
}

export const limitsOf = (queue: Queue): Limits => ({
  maxConcurrency: queue.max_concurrency,
  rate: queue.rate_limit,
  windowMs: queue.rate_window_ms,
});

async function setLimits(name: string, limits: Limits): Promise<void> {
  const target = `/queues/${path(name)}`;
  await call(`${target}/concurrency?existing=1`, {
    method: "POST",
    body: { max: limits.maxConcurrency ?? 0 },
  });
  if (limits.rate && limits.windowMs)
    await call(`${target}/throttle?existing=1`, {
      method: "POST",
      body: { rate: limits.rate, window_ms: limits.windowMs },
    });
  else await call(`${target}/throttle?existing=1`, { method: "DELETE" });
}
