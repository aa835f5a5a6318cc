// The same query as a form, for those who would rather not type it.
import { type FormEvent, useState } from "react";
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

export function SearchForm({ filter, onSearch }: { filter: Filter; onSearch(filter: Filter): void }) {
  const [states, setStates] = useState<State[]>(filter.state ?? []);
  const [priority, setPriority] = useState(filter.priority ?? "");
  const [payload, setPayload] = useState(filter.payload_contains ?? "");
  const [jq, setJq] = useState(filter.payload_jq ?? "");
  const [error, setError] = useState(filter.error_contains ?? "");
  const [tag, setTag] = useState(
    Object.entries(filter.tags ?? {})
      .map(([key, value]) => `${key}=${value}`)
      .join(", "),
  );
  const [after, setAfter] = useState(local(filter.created_after));
  const [before, setBefore] = useState(local(filter.created_before));

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const tags = Object.fromEntries(
      tag
        .split(",")
        .map((pair) => pair.trim().split("="))
        .filter((pair): pair is [string, string] => pair.length === 2 && pair[0] !== ""),
    );
    const created_after = instant(after);
    const created_before = instant(before);
    onSearch({
      ...(states.length ? { state: states } : {}),
      ...(priority ? { priority } : {}),
      ...(payload ? { payload_contains: payload } : {}),
      ...(jq.trim() ? { payload_jq: jq.trim() } : {}),
      ...(error ? { error_contains: error } : {}),
      ...(Object.keys(tags).length ? { tags } : {}),
      ...(created_after ? { created_after } : {}),
      ...(created_before ? { created_before } : {}),
    });
  };
  const toggle = (state: State) =>
    setStates(states.includes(state) ? states.filter((each) => each !== state) : [...states, state]);
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
        value={priority}
        onChange={setPriority}
        choices={[["", "any"], ...PRIORITY_CHOICES]}
      />
      <TextField label="Payload holds" value={payload} placeholder="ann@example.com" onChange={setPayload} />
      <TextField label="Error holds" value={error} placeholder="timeout" onChange={setError} />
      <TextField
        label="jq on the payload"
        value={jq}
        placeholder='.user.plan == "pro"'
        onChange={setJq}
        look="font-mono text-xs"
      />
      <TextField label="Tags" value={tag} placeholder="tenant=acme, region=eu" onChange={setTag} />
      <div className="grid grid-cols-2 gap-2">
        <TextField label="Created after" type="datetime-local" value={after} onChange={setAfter} />
        <TextField label="Created before" type="datetime-local" value={before} onChange={setBefore} />
      </div>
      <div className="flex gap-2 sm:col-span-2 lg:col-span-3">
        <Button type="submit" look="primary">
          Search
        </Button>
        <Button onClick={() => onSearch({})}>Reset</Button>
      </div>
    </form>
  );
}
