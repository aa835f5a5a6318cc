// A new job with everything it can be told, or another one like a job there is.
import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { call } from "@/api/client";
import type { Enqueued, Job } from "@/api/types";
import { QueueField } from "@/app/QueueField";
import { curl } from "@/lib/commands";
import { shortId } from "@/lib/format";
import { parseExact } from "@/lib/json";
import { troubleIn } from "@/lib/trouble";
import { timeText } from "@/query/fields";
import { Button } from "@/ui/Button";
import { Command } from "@/ui/Copy";
import { Dialog } from "@/ui/Dialog";
import { Field } from "@/ui/Field";
import { PRIORITY_CHOICES, SelectField, TextField } from "@/ui/fields";
import { JsonEditor } from "@/ui/Json";
import { said, sayError } from "@/ui/Toast";
import { ask } from "./asking";

interface Form {
  queue: string;
  payload: string;
  priority: string;
  when: string;
  maxRetries: string;
  backoff: string;
  baseDelay: string;
  maxDelay: string;
  uniqueKey: string;
  uniquePeriod: string;
  expireAfter: string;
  tags: string;
  group: string;
  dependsOn: string;
  checkpoint: string;
}

const EMPTY: Form = {
  queue: "",
  payload: "{\n  \n}",
  priority: "normal",
  when: "",
  maxRetries: "",
  backoff: "",
  baseDelay: "",
  maxDelay: "",
  uniqueKey: "",
  uniquePeriod: "",
  expireAfter: "",
  tags: "",
  group: "",
  dependsOn: "",
  checkpoint: "",
};

function formOf(like: Job): Form {
  return {
    ...EMPTY,
    queue: like.queue,
    payload: JSON.stringify(like.payload, null, 2),
    priority: like.priority_name,
    maxRetries: String(like.max_retries),
    backoff: like.retry_backoff,
    baseDelay: like.retry_base_delay,
    maxDelay: like.retry_max_delay,
    tags: Object.entries(like.tags ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(", "),
    group: like.group ?? "",
  };
}

const pairs = (text: string) =>
  Object.fromEntries(
    text
      .split(",")
      .map((pair) => pair.trim())
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), pair.slice(pair.indexOf("=") + 1).trim()]),
  );

/** A tag without a value would be dropped without a word. */
const untagged = (text: string): boolean =>
  text.split(",").some((pair) => pair.trim() !== "" && !pair.includes("="));

/** The body as text: a payload is sent with the very digits that were typed. */
export function bodyOf(form: Form): string {
  const members: string[] = [
    `"queue":${JSON.stringify(form.queue.trim())}`,
    `"payload":${form.payload.trim() || "{}"}`,
  ];
  const add = (name: string, value: unknown) => {
    if (value !== undefined && value !== "") members.push(`"${name}":${JSON.stringify(value)}`);
  };
  if (form.priority !== "normal") add("priority", form.priority);
  if (form.when) add("scheduled_at", timeText(new Date(form.when).getTime()));
  if (form.maxRetries) add("max_retries", Number(form.maxRetries));
  add("retry_backoff", form.backoff);
  add("retry_base_delay", form.baseDelay);
  add("retry_max_delay", form.maxDelay);
  add("unique_key", form.uniqueKey);
  if (form.uniqueKey && form.uniquePeriod) add("unique_period", Number(form.uniquePeriod));
  add("expire_after", form.expireAfter);
  const tags = pairs(form.tags);
  if (Object.keys(tags).length) add("tags", tags);
  add("group", form.group.trim());
  const needed = form.dependsOn.split(/[\s,]+/).filter(Boolean);
  if (needed.length) add("depends_on", needed);
  if (form.checkpoint.trim()) members.push(`"checkpoint":${form.checkpoint.trim()}`);
  return `{${members.join(",")}}`;
}

export default function EnqueueDialog({ like, queue }: { like?: Job; queue?: string }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const [form, setForm] = useState<Form>(() => (like ? formOf(like) : { ...EMPTY, queue: queue ?? "" }));
  const [busy, setBusy] = useState(false);
  const [more, setMore] = useState(like !== undefined);
  const set = (part: Partial<Form>) => setForm({ ...form, ...part });
  const wrong =
    (form.payload.trim() !== "" && troubleIn(form.payload) !== null) ||
    (form.checkpoint.trim() !== "" && troubleIn(form.checkpoint) !== null) ||
    untagged(form.tags);
  const ready = form.queue.trim() !== "" && !wrong;
  const body = useMemo(() => (ready ? bodyOf(form) : ""), [form, ready]);
  const close = () => ask(null);
  const submit = async (again: boolean) => {
    setBusy(true);
    try {
      const made = await call<Enqueued>("/enqueue", { method: "POST", body });
      await client.invalidateQueries({ refetchType: "active" });
      said(
        made.unique_existing
          ? `There is one already: ${shortId(made.job_id)}`
          : `Enqueued ${shortId(made.job_id)} in ${form.queue}`,
        {
          label: "Show",
          run: () => {
            close();
            void navigate({ to: "/jobs/$id", params: { id: made.job_id } });
          },
        },
      );
      if (!again) close();
    } catch (error) {
      sayError(error, "Could not enqueue");
    }
    setBusy(false);
  };
  const text =
    (name: keyof Form, placeholder = "", numeric = false) =>
    (id: string) => (
      <input
        id={id}
        className="field"
        placeholder={placeholder}
        {...(numeric ? { inputMode: "numeric" as const } : {})}
        value={form[name]}
        onChange={(event) => set({ [name]: event.target.value })}
        autoComplete="off"
      />
    );
  return (
    <Dialog
      open
      wide
      onClose={close}
      title={like ? `Clone ${shortId(like.id)}` : "Enqueue a job"}
      {...(like
        ? { description: "A new job with the same payload and options. Change what should differ." }
        : {})}
      footer={
        <>
          <Button onClick={close}>Back</Button>
          <Button disabled={!ready} busy={busy} onClick={() => void submit(true)}>
            Enqueue, stay here
          </Button>
          <Button look="primary" disabled={!ready} busy={busy} onClick={() => void submit(false)}>
            Enqueue
          </Button>
        </>
      }
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <QueueField
          label="Queue"
          value={form.queue}
          onChange={(text) => set({ queue: text })}
          placeholder="emails"
        />
        <SelectField
          label="Priority"
          value={form.priority}
          onChange={(text) => set({ priority: text })}
          choices={PRIORITY_CHOICES}
        />
        <Field label="Payload" className="sm:col-span-2">
          {(id) => (
            <JsonEditor id={id} value={form.payload} onChange={(payload) => set({ payload })} rows={7} />
          )}
        </Field>
        <details
          className="sm:col-span-2"
          open={more}
          onToggle={(event) => setMore(event.currentTarget.open)}
        >
          <summary className="cursor-pointer text-sm text-ink-2">More options</summary>
          <div className="mt-3 grid gap-4 sm:grid-cols-3">
            <TextField
              label="Run at"
              hint="Empty: at once."
              type="datetime-local"
              step={1}
              value={form.when}
              onChange={(text) => set({ when: text })}
            />
            <Field label="Attempts at most" hint="3 by default.">
              {text("maxRetries", "3", true)}
            </Field>
            <Field label="Give up after" hint="Such as 1h; it expires then.">
              {text("expireAfter", "1h")}
            </Field>
            <SelectField
              label="Backoff"
              value={form.backoff}
              onChange={(text) => set({ backoff: text })}
              choices={[["", "default (exponential)"], "exponential", "linear", "fixed", "none"]}
            />
            <Field label="First delay">{text("baseDelay", "5s")}</Field>
            <Field label="Longest delay">{text("maxDelay", "10m")}</Field>
            <Field label="Unique key" hint="One living job per key.">
              {text("uniqueKey", "order-17")}
            </Field>
            <Field label="Unique for, seconds">{text("uniquePeriod", "3600", true)}</Field>
            <TextField
              label="Tags"
              hint={untagged(form.tags) ? "Each as name=value, separated by commas." : undefined}
              aria-invalid={untagged(form.tags)}
              placeholder="tenant=acme, region=eu"
              value={form.tags}
              onChange={(tags) => set({ tags })}
            />
            <Field label="Group" hint="A label to find jobs by.">
              {text("group", "nightly")}
            </Field>
            <Field label="Depends on" hint="Ids of jobs that must complete first." className="sm:col-span-3">
              {text("dependsOn", "job_…")}
            </Field>
            <Field label="Checkpoint" className="sm:col-span-3">
              {(id) => (
                <JsonEditor
                  id={id}
                  value={form.checkpoint}
                  onChange={(checkpoint) => set({ checkpoint })}
                  rows={3}
                />
              )}
            </Field>
          </div>
        </details>
        {ready && (
          <details className="text-sm sm:col-span-2">
            <summary className="cursor-pointer text-ink-2">The same by curl</summary>
            <div className="mt-2">
              <Command label="curl" text={curl("POST", "/enqueue", parseExact(body))} />
            </div>
          </details>
        )}
      </div>
    </Dialog>
  );
}
