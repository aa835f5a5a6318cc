// A filter as the text of a query: for forms, links and "copy as". What the bar reads back is the same filter.
import type { Filter } from "@/api/types";
import { quoted } from "./complete";
import { STATE_NAMES } from "./fields";

/** One condition of several joined by `and`; an `and` within quotes joins nothing. */
const CONDITION = /(?:"(?:[^"\\]|\\.)*"|(?! and )[^"])+(?= and |$)/g;

export function queryText(filter: Filter): string {
  const terms: string[] = [];
  const add = (name: string, value: string | number | undefined, operator = ":") => {
    if (value !== undefined && value !== "") terms.push(`${name}${operator}${quoted(String(value))}`);
  };
  add("queue", filter.queue);
  if (filter.state?.length && filter.state.length < STATE_NAMES.length)
    terms.push(`state:${filter.state.join(",")}`);
  add("priority", filter.priority);
  for (const [key, value] of Object.entries(filter.tags ?? {}))
    terms.push(
      `${/^[A-Za-z0-9_.-]+$/.test(key) ? `tag.${key}` : `tag[${JSON.stringify(key)}]`}:${quoted(value)}`,
    );
  add("error", filter.error_contains, "~");
  add("failure", filter.failure);
  add("payload", filter.payload_contains, "~");
  for (const part of filter.payload_jq?.match(CONDITION) ?? [])
    terms.push(
      part
        .replace(/^\s*and /, "")
        .trim()
        .replace(/^\.(?=\[)/, "payload")
        .replace(/^\./, "payload."),
    );
  for (const [member, name] of [
    ["created", "created"],
    ["scheduled", "scheduled"],
    ["started", "started"],
    ["completed", "completed"],
    ["expire", "expires"],
  ] as const) {
    add(name, filter[`${member}_after`], ">");
    add(name, filter[`${member}_before`], "<");
  }
  if (filter.attempt_min !== undefined && filter.attempt_min === filter.attempt_max)
    add("attempt", filter.attempt_min);
  else {
    add("attempt", filter.attempt_min, ">=");
    add("attempt", filter.attempt_max, "<=");
  }
  if (filter.has_errors !== undefined) terms.push(filter.has_errors ? "has:errors" : "no:errors");
  add("unique", filter.unique_key);
  add("batch", filter.batch_id);
  add("worker", filter.worker_id);
  add("parent", filter.parent_id);
  add("group", filter.group);
  add("chain", filter.chain_id);
  add(
    "id",
    filter.job_id_suffix ? `${filter.job_id_prefix ?? "job_"}…${filter.job_id_suffix}` : filter.job_id_prefix,
  );
  add("sort", filter.sort);
  add("order", filter.order);
  add("limit", filter.limit);
  return terms.join(" ");
}
