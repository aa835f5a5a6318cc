// How the page talks to its node: addresses relative to the page, errors as values with a hint, and reads
// that are never older than this browser's own last write.
import { chosenNamespace, csrf, signedOut } from "@/app/who";
import { setClock } from "@/lib/clock";
import { parseExact } from "@/lib/json";

/** Where the UI begins: "/ui/", or "/any/prefix/ui/" behind a proxy. */
export const uiBase = typeof document === "undefined" ? "/ui/" : new URL(document.baseURI).pathname;
export const serverBase = uiBase.replace(/ui\/$/, "");

export const apiUrl = (path: string): string => `${serverBase}api/v1${path}`;

export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly hint: string,
    readonly requestId?: string,
  ) {
    super(message);
  }
}

/** Whether the server says that there is no such thing, or no longer. */
export const isGone = (error: unknown): boolean => error instanceof ApiError && error.status === 404;

/** The request never got an answer. */
export class Unreachable extends ApiError {
  constructor() {
    super(0, "UNREACHABLE", "The node does not answer", "Is it running? The page tries again by itself.");
  }
}

/** The log entry of this browser's last write: reads that follow ask for at least that state. */
let lastIndex: string | null = null;
let lastWriteAt = 0;
const OWN_WRITES_MS = 10_000;

export interface Options {
  method?: "GET" | "POST" | "PUT" | "DELETE";
  body?: unknown;
  signal?: AbortSignal;
  /** Keep numbers that a browser cannot hold as they were written. */
  exact?: boolean;
}

/** Of every request, that of the live stream included. */
export function ownHeaders(): Record<string, string> {
  const namespace = chosenNamespace();
  return namespace === null ? {} : { "X-Corvo-Namespace": namespace };
}

export async function call<T>(path: string, options: Options = {}): Promise<T> {
  const { method = "GET", body, signal, exact } = options;
  const headers = ownHeaders();
  const token = csrf();
  if (method !== "GET" && token !== undefined) headers["X-Corvo-CSRF"] = token;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (lastIndex !== null && Date.now() - lastWriteAt < OWN_WRITES_MS)
    headers["X-Corvo-Min-Index"] = lastIndex;
  const url = path.startsWith("//") ? serverBase + path.slice(2) : apiUrl(path);
  let reply: Response;
  try {
    reply = await fetch(url, {
      method,
      headers,
      body: body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body),
      signal: signal ?? null,
      credentials: "same-origin",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Unreachable();
  }
  setClock(reply.headers.get("Date"));
  const index = reply.headers.get("X-Corvo-Index");
  if (index) {
    lastIndex = index;
    lastWriteAt = Date.now();
  }
  const text = await reply.text();
  if (!reply.ok) {
    // A login that failed is for the login page to tell of.
    if (reply.status === 401 && path !== "/auth/login") signedOut();
    throw failure(reply.status, text);
  }
  return (exact ? parseExact(text) : JSON.parse(text || "null")) as T;
}

function failure(status: number, text: string): ApiError {
  try {
    const body = JSON.parse(text);
    return new ApiError(status, body.code ?? "ERROR", body.error ?? text, body.hint ?? "", body.request_id);
  } catch {
    return new ApiError(status, "ERROR", `The server answered ${status}`, text.slice(0, 200));
  }
}
