// The same thing from a terminal: what the page does, as a command to take away.
import { serverBase } from "@/api/client";
import type { Filter } from "@/api/types";

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

const origin = () =>
  (typeof location === "undefined" ? "http://127.0.0.1:8080" : location.origin) +
  serverBase.replace(/\/$/, "");

export function curl(method: string, path: string, body?: unknown): string {
  const parts = ["curl"];
  if (method !== "GET") parts.push("-X", method);
  parts.push(quote(`${origin()}/api/v1${path}`));
  if (body !== undefined)
    parts.push("\\\n  -H 'Content-Type: application/json' \\\n  -d", quote(JSON.stringify(body)));
  return parts.join(" ");
}

export const cli = (...words: string[]): string =>
  ["corvo", ...words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : quote(word)))].join(" ");

export const searchCommands = (query: string, filter: Filter) => ({
  cli: cli("search", query || "limit:50"),
  curl: curl("POST", "/jobs/search", filter),
});
