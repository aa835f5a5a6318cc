import { useState } from "react";
import type { Queue } from "@/api/types";
import { limitsOf, useActs } from "@/app/jobActions";
import { number, plural } from "@/lib/format";
import { durationMs } from "@/query/fields";
import { Button } from "@/ui/Button";
import { Dialog } from "@/ui/Dialog";
import { TextField } from "@/ui/fields";

/** 60000 as "1m": the way it is written, not the way it is read. */
export function written(ms: number | undefined): string {
  if (!ms) return "";
  for (const [unit, size] of [
    ["d", 86_400_000],
    ["h", 3_600_000],
    ["m", 60_000],
    ["s", 1_000],
  ] as const)
    if (ms % size === 0) return `${ms / size}${unit}`;
  return `${ms}ms`;
}

const positive = (text: string) => {
  const value = Number(text);
  return text.trim() !== "" && Number.isInteger(value) && value > 0 ? value : undefined;
};

export function LimitsDialog({ queue, onClose }: { queue: Queue; onClose(): void }) {
  const before = limitsOf(queue);
  const acts = useActs();
  const [concurrency, setConcurrency] = useState(before.maxConcurrency?.toString() ?? "");
  const [rate, setRate] = useState(before.rate?.toString() ?? "");
  const [window, setWindow] = useState(written(before.windowMs) || "1m");
  const [busy, setBusy] = useState(false);
  let windowMs: number | undefined;
  try {
    windowMs = durationMs(window.trim(), "window");
  } catch {
    windowMs = undefined;
  }
  const wrong = {
    concurrency: concurrency.trim() !== "" && positive(concurrency) === undefined,
    rate: rate.trim() !== "" && positive(rate) === undefined,
    window: rate.trim() !== "" && !windowMs,
  };
  const save = async () => {
    setBusy(true);
    const done = await acts.limits(queue, {
      maxConcurrency: positive(concurrency),
      rate: positive(rate),
      windowMs,
    });
    setBusy(false);
    if (done) onClose();
  };
  const sentences = [
    positive(concurrency)
      ? `At most ${plural(positive(concurrency)!, "job")} of it run at once`
      : "Any number of jobs run at once",
    positive(rate) && windowMs
      ? `and at most ${number(positive(rate)!)} begin within ${window}.`
      : "and they begin as fast as workers take them.",
  ];
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Limits of ${queue.name}`}
      description="They hold exactly, over all workers and nodes."
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="primary"
            busy={busy}
            disabled={wrong.concurrency || wrong.rate || wrong.window}
            onClick={save}
          >
            Save limits
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <TextField
          label="Jobs active at once"
          hint="Empty: no limit."
          inputMode="numeric"
          aria-invalid={wrong.concurrency}
          value={concurrency}
          onChange={setConcurrency}
        />
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Jobs begun"
            hint="Empty: no limit."
            inputMode="numeric"
            aria-invalid={wrong.rate}
            value={rate}
            onChange={setRate}
          />
          <TextField
            label="within"
            hint="Such as 1s, 1m, 1h."
            aria-invalid={wrong.window}
            value={window}
            onChange={setWindow}
          />
        </div>
        <p className="rounded-lg bg-sunken px-3 py-2 text-sm text-ink-2">{sentences.join(", ")}</p>
      </div>
    </Dialog>
  );
}

export function ClearDialog({ queue, onClose }: { queue: Queue; onClose(): void }) {
  const acts = useActs();
  const [busy, setBusy] = useState(false);
  const count = queue.pending + queue.scheduled;
  return (
    <Dialog
      open
      onClose={onClose}
      title={`Clear ${queue.name}`}
      description={`Removes ${plural(queue.pending, "pending job")} and ${plural(queue.scheduled, "scheduled job")}. Active, held, dead and completed ones stay. This cannot be undone.`}
      footer={
        <>
          <Button onClick={onClose}>Back</Button>
          <Button
            look="danger"
            busy={busy}
            disabled={count === 0}
            onClick={async () => {
              setBusy(true);
              await acts.clear(queue.name);
              onClose();
            }}
          >
            Remove {plural(count, "job")}
          </Button>
        </>
      }
    />
  );
}

export function DestroyDialog({ queue, onClose }: { queue: Queue; onClose(gone: boolean): void }) {
  const acts = useActs();
  const [typed, setTyped] = useState("");
  const [busy, setBusy] = useState(false);
  const count =
    queue.pending +
    queue.active +
    queue.scheduled +
    queue.retrying +
    queue.held +
    queue.completed +
    queue.dead +
    queue.cancelled;
  return (
    <Dialog
      open
      onClose={() => onClose(false)}
      title={`Destroy ${queue.name}`}
      description={`Removes the queue, its limits and all its ${plural(count, "job")} in every state${queue.active ? `, ${number(queue.active)} of them active right now` : ""}. This cannot be undone.`}
      footer={
        <>
          <Button onClick={() => onClose(false)}>Back</Button>
          <Button
            look="danger"
            busy={busy}
            disabled={typed !== queue.name}
            onClick={async () => {
              setBusy(true);
              const done = await acts.destroy(queue.name);
              setBusy(false);
              onClose(done);
            }}
          >
            Destroy {queue.name}
          </Button>
        </>
      }
    >
      <TextField
        label={
          <>
            Type <b className="font-mono text-ink">{queue.name}</b> to confirm
          </>
        }
        spellCheck={false}
        value={typed}
        onChange={setTyped}
        look="font-mono"
      />
    </Dialog>
  );
}
