// Preview, then act: how many, in which states, five of them; then what will happen, in one sentence.
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { call } from "@/api/client";
import type { BulkAction, BulkOrder, BulkPreview, BulkQueued, Filter, SearchPage, State } from "@/api/types";
import { useActs } from "@/app/jobActions";
import { QueueField } from "@/app/QueueField";
import { affected, VERBS } from "@/lib/actions";
import { cli, curl } from "@/lib/commands";
import { number, plural, shortId } from "@/lib/format";
import { brief } from "@/lib/json";
import { queryText } from "@/query/text";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { Failure, Skeleton } from "@/ui/Empty";
import { PRIORITY_CHOICES, SelectField, TextField } from "@/ui/fields";
import { StateBadge, StateBar } from "@/ui/State";
import { said, sayError } from "@/ui/Toast";

export type Target = { ids: string[] } | { filter: Filter; named?: string };

interface Props {
  action: BulkAction;
  target: Target;
  onClose(done: boolean): void;
}

/** Up to here the ids are known before it begins, so what was done can be named and undone. */
const NAMED_MAX = 1_000;
/** More than this is better watched than waited for. */
const BACKGROUND_FROM = 2_000;

export function BulkDialog({ action, target, onClose }: Props) {
  const verb = VERBS[action];
  const acts = useActs();
  const navigate = useNavigate();
  const [queue, setQueue] = useState("");
  const [priority, setPriority] = useState("high");
  const [reason, setReason] = useState("");
  const [rate, setRate] = useState("");
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);

  const where = "ids" in target ? { job_ids: target.ids } : { filter: withoutPaging(target.filter) };
  const preview = useQuery({
    queryKey: ["bulk-preview", action, where],
    // A move and a change of priority need to be told where to, even to be looked at.
    queryFn: ({ signal }) =>
      call<BulkPreview>("/jobs/bulk", {
        method: "POST",
        body: { action, ...where, dry_run: true, move_to_queue: "preview", priority: "normal" },
        signal,
      }),
    gcTime: 0,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const found = preview.data;
  const count = found ? affected(action, found.by_state) : 0;
  const skipped = found ? found.count - count : 0;
  const order: BulkOrder = {
    action,
    ...where,
    ...(action === "move" ? { move_to_queue: queue } : {}),
    ...(action === "change_priority" ? { priority } : {}),
    ...(reason ? { reason } : {}),
    ...(rate ? { rate: Number(rate), async: true } : {}),
  };
  const ready =
    count > 0 && (action !== "move" || queue.trim() !== "") && (!verb.final || typed === String(count));

  const runInBackground = async () => {
    const queued = await call<BulkQueued>("/jobs/bulk", { method: "POST", body: { ...order, async: true } });
    said(`${verb.doing} ${plural(count, "job")} in the background`);
    onClose(true);
    void navigate({ to: "/operations/$id", params: { id: queued.bulk_operation_id } });
  };
  const runAtOnce = async () => {
    const named = await nameJobs(order, found!.count);
    if (await acts.bulk(named.order, named.undo)) onClose(true);
  };
  const run = async () => {
    setBusy(true);
    try {
      await (rate || count > BACKGROUND_FROM ? runInBackground() : runAtOnce());
    } catch (error) {
      sayError(error, `${verb.name} failed`);
    } finally {
      setBusy(false);
    }
  };

  const what = `${verb.name} ${found ? plural(count, "job") : "jobs"}`;
  return (
    <Dialog
      open
      wide
      onClose={() => onClose(false)}
      title={what}
      description={verb.effect}
      footer={
        <>
          <Button onClick={() => onClose(false)}>Back</Button>
          <Button look={verb.final ? "danger" : "primary"} disabled={!ready} busy={busy} onClick={run}>
            {action === "move" && queue ? `Move ${plural(count, "job")} to ${queue}` : what}
          </Button>
        </>
      }
    >
      {preview.isPending ? (
        <Skeleton rows={6} className="" />
      ) : preview.isError ? (
        <Failure error={preview.error} retry={() => void preview.refetch()} />
      ) : (
        <div className="space-y-4">
          {"filter" in target && (
            <p className="rounded-lg bg-sunken px-3 py-2 font-mono text-xs break-words">
              {queryText(target.filter) || "all jobs"}
            </p>
          )}
          <div>
            <StateBar counts={found!.by_state} />
            <ul className="nums mt-2 flex flex-wrap gap-x-4 gap-y-1 text-xs">
              {(Object.entries(found!.by_state) as [State, number][]).map(([state, many]) => (
                <li key={state} className="flex items-center gap-1.5">
                  <StateBadge state={state} /> {number(many)}
                </li>
              ))}
            </ul>
            {skipped > 0 && (
              <p className="mt-2 text-xs text-ink-2">
                {plural(skipped, "job")} in a state that does not fit {skipped === 1 ? "is" : "are"} left
                alone.
              </p>
            )}
          </div>
          {action === "move" && <QueueField label="To the queue" value={queue} onChange={setQueue} />}
          {action === "change_priority" && (
            <SelectField
              label="Priority"
              value={priority}
              onChange={setPriority}
              choices={PRIORITY_CHOICES}
            />
          )}
          {(action === "hold" || action === "reject") && (
            <TextField
              label="Reason"
              hint="Shown with each job and in its history."
              value={reason}
              onChange={setReason}
            />
          )}
          <div>
            <h3 className="mb-1.5 text-xs font-medium text-ink-2">
              {found!.count > 5 ? "Five of them" : "These"}
            </h3>
            <ul className="divide-y divide-line rounded-lg border border-line">
              {found!.sample.map((row) => (
                <li
                  key={row.id}
                  className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-3 px-3 sm:grid-cols-[auto_6.500rem_minmax(0,1fr)] py-1.5 text-xs"
                >
                  <span className="font-mono">{shortId(row.id)}</span>
                  <StateBadge state={row.state} className="max-sm:hidden" />
                  <span className="truncate text-ink-3">{row.last_error ?? brief(row.payload)}</span>
                </li>
              ))}
              {found!.count === 0 && <li className="px-3 py-2 text-xs text-ink-3">None.</li>}
            </ul>
            {found!.count > 5 && (
              <p className="mt-1 text-xs text-ink-3">
                … and {number(found!.count - found!.sample.length)} more
              </p>
            )}
          </div>
          <details className="text-xs">
            <summary className="cursor-pointer text-ink-2">Pace, and the same from a terminal</summary>
            <div className="mt-2 space-y-2">
              <TextField
                label="Jobs per second"
                hint="Empty: as fast as it goes. With a pace it runs in the background and can be cancelled."
                inputMode="numeric"
                pattern="[0-9]*"
                value={rate}
                onChange={(text) => setRate(text.replace(/\D/g, ""))}
                look="max-w-40"
              />
              {"filter" in target && (
                <Command
                  label="CLI"
                  text={cli(
                    "bulk",
                    action,
                    ...(action === "move" ? [queue || "QUEUE"] : []),
                    "--query",
                    queryText(target.filter),
                  )}
                />
              )}
              <Command label="curl" text={curl("POST", "/jobs/bulk", order)} />
            </div>
          </details>
          {verb.final && count > 0 && (
            <TextField
              label={`This cannot be undone. Type ${count} to confirm.`}
              value={typed}
              onChange={setTyped}
              look="max-w-40"
            />
          )}
        </div>
      )}
    </Dialog>
  );
}

/** A page's size and place say nothing about which jobs are meant. */
function withoutPaging(filter: Filter): Filter {
  const { limit: _limit, cursor: _cursor, sort: _sort, order: _order, ...rest } = filter;
  return rest;
}

/** The order by the ids it means, if they are few, and what takes exactly that back, if anything does. */
async function nameJobs(order: BulkOrder, count: number): Promise<{ order: BulkOrder; undo?: BulkOrder }> {
  const inverse = VERBS[order.action].inverse;
  if (!inverse || count > NAMED_MAX) return { order };
  const filter = order.filter ?? null;
  const rows = filter
    ? (await call<SearchPage>("/jobs/search", { method: "POST", body: { ...filter, limit: NAMED_MAX } })).jobs
    : (await call<SearchPage>("/jobs/bulk-get", { method: "POST", body: { job_ids: order.job_ids } })).jobs;
  const fitting = rows.filter((row) => inverse.from.includes(row.state));
  const { filter: _filter, ...rest } = order;
  const named: BulkOrder = { ...rest, job_ids: rows.map((row) => row.id) };
  // Only if all that will change can be taken back to where they were is there an undo.
  const changing = rows.filter((row) => VERBS[order.action].states.includes(row.state));
  const queues = new Set(changing.map((row) => row.queue));
  if (changing.length !== fitting.length || (inverse.action === "move" && queues.size !== 1))
    return { order: named };
  const undo: BulkOrder = { action: inverse.action, job_ids: fitting.map((row) => row.id) };
  if (inverse.action === "move") undo.move_to_queue = [...queues][0]!;
  return { order: named, undo };
}
