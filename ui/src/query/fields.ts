// The fields of the query language: which operators each takes, and what it says about a search.
// docs/reference/query-language.md describes it; corvo/core/query/fields.py reads the same language for the CLI.
import type { Filter, State } from "@/api/types";

/** In the order of the server's own list. */
export const STATE_NAMES: State[] = [
  "scheduled",
  "pending",
  "active",
  "held",
  "retrying",
  "completed",
  "dead",
  "cancelled",
];
export const SORTS = [
  "created_at",
  "priority",
  "started_at",
  "completed_at",
  "attempt",
  "failed_at",
  "scheduled_at",
];
export const PRIORITIES = ["critical", "high", "normal", "low"];

/** A word that is the beginning of a job's id, or a whole one; or, as tables show it, its beginning and end. */
export const JOB_ID = /^((?:s\d+_)?job_[0-9A-Za-z]*)(?:(?:…|\.\.\.)([0-9A-Za-z]+))?$/;

/** A whole id, its beginning, or its beginning and end as tables show them. */
export function jobId(text: string): Filter {
  const [, begin, end] = JOB_ID.exec(text) ?? [];
  if (begin === undefined || end === undefined) return { job_id_prefix: text };
  return { job_id_prefix: begin, job_id_suffix: end };
}

/** Fields whose value is passed on as it is. */
const SAME: Record<string, keyof Filter> = {
  queue: "queue",
  unique: "unique_key",
  unique_key: "unique_key",
  batch: "batch_id",
  batch_id: "batch_id",
  worker: "worker_id",
  worker_id: "worker_id",
  parent: "parent_id",
  parent_id: "parent_id",
  group: "group",
  chain: "chain_id",
  chain_id: "chain_id",
  failure: "failure",
};
const TIMES: Record<string, string> = {
  created: "created",
  scheduled: "scheduled",
  started: "started",
  completed: "completed",
  expires: "expire",
};

const IS = [":", "=", "=="];
const PLAIN = ["error", "has", "limit", "no", "order", "payload", "priority", "sort"];
export const NAMES: ReadonlySet<string> = new Set([
  "state",
  "tag",
  "age",
  "attempt",
  "id",
  ...Object.keys(SAME),
  ...Object.keys(TIMES),
  ...PLAIN,
]);

/** What a value cannot be read for. */
export class Unreadable extends Error {}

export function operatorsOf(name: string): string[] {
  if (name in TIMES || name === "age") return [">", "<"];
  if (name === "attempt") return [...IS, ">", ">=", "<", "<="];
  if (name === "state") return [...IS, "!="];
  return name === "error" || name === "payload" ? ["~", ":"] : IS;
}

export function twice(member: string): string {
  if (member === "state") return "state is given twice; write state:dead,held for either";
  if (member === "payload_contains")
    return "text is looked for twice; put the words in double quotes if they stand together";
  return `${member} is given twice`;
}

/** Members of the filter. */
export function read(
  name: string,
  operator: string,
  values: string[],
  nowMs: number,
  negated: boolean,
): Filter {
  if (name === "state") return { state: states(values, negated !== (operator === "!=")) };
  const value = values[0]!;
  const same = SAME[name];
  if (same) return { [same]: value };
  if (name === "id") return jobId(value);
  const time = TIMES[name];
  if (time) return { [`${time}_${operator === ">" ? "after" : "before"}`]: timeText(moment(value, nowMs)) };
  if (name === "age") {
    const created = Math.max(0, nowMs - durationMs(value, "age"));
    // Older means created earlier.
    return { [operator === ">" ? "created_before" : "created_after"]: timeText(created) };
  }
  if (name === "attempt") return attempt(operator, value);
  switch (name) {
    case "error":
      return { error_contains: value };
    case "payload":
      return { payload_contains: value };
    case "has":
      oneOf("has", value, ["errors"]);
      return { has_errors: true };
    case "no":
      oneOf("no", value, ["errors"]);
      return { has_errors: false };
    case "limit":
      return { limit: limit(value) };
    case "order":
      return { order: oneOf("order", value, ["asc", "desc"]) };
    case "priority":
      return { priority: oneOf("priority", value, PRIORITIES) };
    default:
      return { sort: oneOf("sort", value, SORTS) };
  }
}

function states(values: string[], negated: boolean): State[] {
  for (const value of values) oneOf("state", value, STATE_NAMES);
  return STATE_NAMES.filter((name) => values.includes(name) !== negated);
}

function oneOf(name: string, value: string, allowed: string[]): string {
  if (!allowed.includes(value)) throw new Unreadable(`${name} is one of ${allowed.join(", ")}`);
  return value;
}

function attempt(operator: string, value: string): Filter {
  if (!/^\d{1,9}$/.test(value)) throw new Unreadable("attempt is compared with a whole number");
  const number = Number(value);
  if (operator === ">") return { attempt_min: number + 1 };
  if (operator === ">=") return { attempt_min: number };
  if (operator === "<") return { attempt_max: number - 1 };
  if (operator === "<=") return { attempt_max: number };
  return { attempt_min: number, attempt_max: number };
}

function limit(value: string): number {
  const number = Number(value);
  if (!/^\d{1,9}$/.test(value) || number < 1 || number > 1_000)
    throw new Unreadable("limit is a number from 1 to 1000");
  return number;
}

// Times

const UNIT_MS: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
  d: 8.64e7,
};

/** `1h30m` in milliseconds. */
export function durationMs(text: string, name: string): number {
  if (!/^(?:\d+(?:\.\d+)?(?:ns|us|µs|ms|s|m|h|d))+$/.test(text))
    throw new Unreadable(
      `${name}: '${text.slice(0, 40)}' is not a duration; write for example 30s, 5m or 1h30m`,
    );
  let sum = 0;
  for (const [, digits, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h|d)/g))
    sum += Number(digits) * UNIT_MS[unit!]!;
  return sum;
}

const RFC3339 = /^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** `now`, `-2h` for two hours ago, `+10m` for in ten minutes, a date in UTC, or an RFC 3339 time. */
function moment(text: string, nowMs: number): number {
  if (text === "now") return nowMs;
  const sign = /^([+-])(\S+)$/.exec(text);
  if (sign) return Math.max(0, nowMs + durationMs(sign[2]!, "after the sign") * (sign[1] === "+" ? 1 : -1));
  const whole = /^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text;
  const found = RFC3339.test(whole) ? Date.parse(whole) : Number.NaN;
  if (Number.isNaN(found))
    throw new Unreadable(
      `${text.slice(0, 40)} is no time; write -2h, +10m, now, 2026-01-31 or 2026-01-31T08:00:00Z`,
    );
  return found;
}

/** As the server writes times: UTC, and no digits that say nothing. */
export function timeText(atMs: number): string {
  return new Date(Math.round(atMs)).toISOString().replace(/\.?0+Z$/, "Z");
}
