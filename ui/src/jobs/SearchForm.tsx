// The same query as a form, for those who would rather not type it.
import { type FormEvent, useEffect, useState } from "react";
import type { Filter, State } from "@/api/types";
import { STATES } from "@/api/types";
import { timeText } from "@/query/fields";
import { Button } from "@/ui/Button";
import { PRIORITY_CHOICES, SelectField, TextField } from "@/ui/fields";
import { StateBadge } from "@/ui/State";

const local = (iso: string | undefined) => {
  if (!iso) return "";
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
};
const instant = (text: string) => (text ? timeText(new Date(text).getTime()) : undefined);

interface Form {
  states: State[];
  priority: string;
  payload: string;
  jq: string;
  error: string;
  tags: string;
  after: string;
  before: string;
}

/** What a filter says as the form says it, and the rest, for which it has no fields. */
function read(filter: Filter): [Form, Filter] {
  const {
    state = [],
    priority = "",
    payload_contains: payload = "",
    payload_jq: jq = "",
    error_contains: error = "",
    tags = {},
    created_after,
    created_before,
    ...rest
  } = filter;
  const pairs = Object.entries(tags).map(([key, value]) => `${key}=${value}`);
  const form = { priority, payload, jq, error, tags: pairs.join(", ") };
  return [{ ...form, states: state, after: local(created_after), before: local(created_before) }, rest];
}

export function SearchForm({ filter, onSearch }: { filter: Filter; onSearch(filter: Filter): void }) {
  const [form, setForm] = useState(() => read(filter)[0]);
  // The query may be typed while the form is open: it says the same.
  useEffect(() => setForm(read(filter)[0]), [filter]);
  const set = (part: Partial<Form>) => setForm({ ...form, ...part });

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tags = Object.fromEntries(
      form.tags
        .split(",")
        .map((pair) => pair.trim().split("="))
        .filter((pair): pair is [string, string] => pair.length === 2 && pair[0] !== ""),
    );
    const created_after = instant(form.after);
    const created_before = instant(form.before);
    onSearch({
      ...read(filter)[1],
      ...(form.states.length ? { state: form.states } : {}),
      ...(form.priority ? { priority: form.priority } : {}),
      ...(form.payload ? { payload_contains: form.payload } : {}),
      ...(form.jq.trim() ? { payload_jq: form.jq.trim() } : {}),
      ...(form.error ? { error_contains: form.error } : {}),
      ...(Object.keys(tags).length ? { tags } : {}),
      ...(created_after ? { created_after } : {}),
      ...(created_before ? { created_before } : {}),
    });
  };
  const reset = () => {
    setForm(read({})[0]);
    onSearch({});
  };
  const { states } = form;
  const toggle = (state: State) =>
    set({ states: states.includes(state) ? states.filter((each) => each !== state) : [...states, state] });
  return (
    <form onSubmit={submit} className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      <fieldset className="sm:col-span-2 lg:col-span-3">
        <legend className="mb-1 text-xs font-medium text-ink-2">State</legend>
        <div className="flex flex-wrap gap-x-4 gap-y-1.5 text-xs">
          {STATES.map((state) => (
            <label key={state} className="flex cursor-pointer items-center gap-1.5">
              <input
                type="checkbox"
                className="accent-accent"
                checked={states.includes(state)}
                onChange={() => toggle(state)}
              />
              <StateBadge state={state} />
            </label>
          ))}
        </div>
      </fieldset>
      <SelectField
        label="Priority"
        value={form.priority}
        onChange={(priority) => set({ priority })}
        choices={[["", "any"], ...PRIORITY_CHOICES]}
      />
      <TextField
        label="Payload holds"
        value={form.payload}
        placeholder="ann@example.com"
        onChange={(payload) => set({ payload })}
      />
      <TextField
        label="Error holds"
        value={form.error}
        placeholder="timeout"
        onChange={(error) => set({ error })}
      />
      <TextField
        label="jq on the payload"
        value={form.jq}
        placeholder='.user.plan == "pro"'
        onChange={(jq) => set({ jq })}
        look="font-mono text-xs"
      />
      <TextField
        label="Tags"
        value={form.tags}
        placeholder="tenant=acme, region=eu"
        onChange={(tags) => set({ tags })}
      />
      <div className="grid grid-cols-2 gap-2">
        <TextField
          label="Created after"
          type="datetime-local"
          value={form.after}
          onChange={(after) => set({ after })}
        />
        <TextField
          label="Created before"
          type="datetime-local"
          value={form.before}
          onChange={(before) => set({ before })}
        />
      </div>
      <div className="flex gap-2 sm:col-span-2 lg:col-span-3">
        <Button type="submit" look="primary">
          Search
        </Button>
        <Button onClick={reset}>Reset</Button>
      </div>
    </form>
  );
}
