// What may come next in a query: names of fields, and values that are really there.
import { NAMES, PRIORITIES, SORTS, STATE_NAMES } from "./fields";

export interface Suggestion {
  /** Put in the place of the text from `from` to the caret. */
  insert: string;
  label: string;
  hint?: string;
}

export interface Completion {
  from: number;
  suggestions: Suggestion[];
}

export interface Known {
  queues: string[];
  workers: string[];
  tags: Map<string, Set<string>>;
  paths: string[];
}

const FIELD_HINTS: [string, string][] = [
  ["state:", "pending, active, dead, …"],
  ["queue:", "in this queue"],
  ["error~", "an error holds this text"],
  ["failure:", "failed like others, as Failures names it"],
  ["payload.", "a value in the payload"],
  ["payload~", "the payload holds this text"],
  ["tag.", "has this tag"],
  ["age>", "created longer ago than, such as 1h"],
  ["age<", "created within the last"],
  ["priority:", "critical, high, normal, low"],
  ["attempt>=", "on its attempt number"],
  ["has:errors", "failed at least once"],
  ["no:errors", "never failed"],
  ["worker:", "in the hands of this worker"],
  ["created>", "after a time, such as -2h"],
  ["scheduled<", "before a time, such as +1h"],
  ["batch:", "of this batch"],
  ["chain:", "of this chain"],
  ["unique:", "with this unique key"],
  ["parent:", "children of this job"],
  ["group:", "with this label"],
  ["id:", "the id begins so, or job_…1BY"],
  ["-state:", "in any other state"],
  ["sort:", "another order"],
  ["order:", "asc or desc"],
];

const VALUES: Record<string, string[]> = {
  state: STATE_NAMES,
  priority: PRIORITIES.slice(0, 3),
  sort: SORTS,
  order: ["asc", "desc"],
  has: ["errors"],
  no: ["errors"],
  age: ["5m", "1h", "24h", "7d"],
  created: ["-15m", "-1h", "-24h"],
  started: ["-10m", "-1h"],
  completed: ["-15m", "-1h"],
  scheduled: ["+10m", "+1h", "+24h"],
  expires: ["+10m", "+1h"],
};

const MOST = 12;

export function complete(text: string, caret: number, known: Known): Completion {
  const before = text.slice(0, caret);
  const start = wordStart(before);
  const word = before.slice(start);
  const field = /^-?([a-z_]+)(:|==|=|~|>=|<=|>|<|!=)/.exec(word);
  if (field && NAMES.has(field[1]!)) {
    const comma = word.lastIndexOf(",");
    const from = start + (field[1] === "state" && comma > 0 ? comma + 1 : field[0].length);
    return { from, suggestions: pick(valuesOf(field[1]!, known), before.slice(from)) };
  }
  const tag = /^tag\.([\w.-]*)(:?)(.*)$/.exec(word);
  if (tag) return tagCompletion(start, tag, known);
  if (word.startsWith("payload.")) {
    const paths = known.paths.filter((path) => path.startsWith(word) && path !== word);
    return { from: start, suggestions: paths.slice(0, MOST).map((path) => ({ insert: path, label: path })) };
  }
  const lower = word.toLowerCase();
  const fields = FIELD_HINTS.filter(([name]) => name.startsWith(lower) && name !== lower);
  return {
    from: start,
    suggestions: fields.slice(0, MOST).map(([name, hint]) => ({ insert: name, label: name, hint })),
  };
}

/** Where the term under the caret begins; spaces within quotes do not end one. */
function wordStart(before: string): number {
  let start = 0;
  let quoted = false;
  for (let at = 0; at < before.length; at++) {
    if (before[at] === '"' && before[at - 1] !== "\\") quoted = !quoted;
    else if (!quoted && /\s/.test(before[at]!)) start = at + 1;
  }
  return start;
}

function valuesOf(field: string, known: Known): string[] {
  if (field === "queue") return known.queues;
  if (field === "worker" || field === "worker_id") return known.workers;
  return VALUES[field] ?? [];
}

function tagCompletion(start: number, [, key, colon, value]: RegExpExecArray, known: Known): Completion {
  if (!colon) {
    const names = [...known.tags.keys()].filter((name) => name.startsWith(key!));
    return {
      from: start,
      suggestions: names.slice(0, MOST).map((name) => ({ insert: `tag.${name}:`, label: `tag.${name}` })),
    };
  }
  const from = start + "tag.".length + key!.length + 1;
  return { from, suggestions: pick([...(known.tags.get(key!) ?? [])], value!) };
}

function pick(values: string[], typed: string): Suggestion[] {
  const lower = typed.replace(/^"/, "").toLowerCase();
  const fitting = values.filter((value) => value.toLowerCase().includes(lower) && value !== typed);
  fitting.sort(
    (a, b) => Number(b.toLowerCase().startsWith(lower)) - Number(a.toLowerCase().startsWith(lower)),
  );
  return fitting.slice(0, MOST).map((value) => ({ insert: quoted(value), label: value }));
}

/** A value as a query writes it. */
export const quoted = (value: string): string =>
  value && /^[^\s",]+$/.test(value) ? value : JSON.stringify(value);

/** Paths into payloads that were seen: what can be asked for. */
export function pathsOf(payloads: unknown[], most = 200): string[] {
  const found = new Set<string>();
  const walk = (value: unknown, path: string, depth: number) => {
    if (
      found.size >= most ||
      depth > 4 ||
      value === null ||
      typeof value !== "object" ||
      Array.isArray(value)
    )
      return;
    for (const [key, inner] of Object.entries(value)) {
      const next = /^[A-Za-z0-9_]+$/.test(key) ? `${path}.${key}` : `${path}[${JSON.stringify(key)}]`;
      found.add(next);
      walk(inner, next, depth + 1);
    }
  };
  for (const payload of payloads) walk(payload, "payload", 0);
  return [...found].sort();
}
