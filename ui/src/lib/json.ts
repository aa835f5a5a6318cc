// JSON as it was written: numbers that do not fit a double keep their digits.

export class ExactNumber {
  constructor(readonly source: string) {}
  toJSON(): unknown {
    const raw = (JSON as unknown as { rawJSON?: (text: string) => unknown }).rawJSON;
    return raw ? raw(this.source) : Number(this.source);
  }
  toString(): string {
    return this.source;
  }
}

type Reviver = (this: unknown, key: string, value: unknown, context?: { source?: string }) => unknown;

const keepDigits: Reviver = (_key, value, context) => {
  if (typeof value !== "number" || context?.source === undefined) return value;
  if (Number.isSafeInteger(value) || String(value) === context.source) return value;
  // 1.0 and 1e3 are fine as they are; what is at stake are digits that would be lost.
  const digits = context.source.replace(/[eE].*/, "").replace(/\D/g, "").length;
  return digits > 15 || !Number.isFinite(value) ? new ExactNumber(context.source) : value;
};

/** Numbers that may not fit: many digits, or an exponent of three. Most texts have none, and are read faster. */
const RISKY = /\d[\d.]{15}|[eE][+-]?\d{3}/;

export const parseExact = (text: string): unknown =>
  RISKY.test(text) ? JSON.parse(text, keepDigits as never) : JSON.parse(text || "null");

/** One line for a table cell. */
export function brief(value: unknown, most = 120): string {
  if (value === undefined) return "";
  const text = JSON.stringify(value) ?? "";
  const plain = text.startsWith("{")
    ? text.replace(/"([A-Za-z_][\w-]*)":/g, "$1: ").replace(/,(?=[A-Za-z_]|")/g, ", ")
    : text;
  return plain.length > most ? `${plain.slice(0, most - 1)}…` : plain;
}

export interface Token {
  kind: "key" | "string" | "number" | "word" | "mark";
  text: string;
}

const TOKEN =
  /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b|([{}[\],:])/g;

/** A text of JSON, cut for colouring. Works on half-written text too. */
export function tokens(text: string): Token[] {
  const found: Token[] = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    if (match.index > last) found.push({ kind: "mark", text: text.slice(last, match.index) });
    const [whole, string, colon, digits, word] = match;
    if (string !== undefined && colon !== undefined) {
      found.push({ kind: "key", text: string }, { kind: "mark", text: colon });
    } else if (string !== undefined) found.push({ kind: "string", text: string });
    else if (digits !== undefined) found.push({ kind: "number", text: digits });
    else if (word !== undefined) found.push({ kind: "word", text: word });
    else found.push({ kind: "mark", text: whole });
    last = match.index + whole.length;
  }
  if (last < text.length) found.push({ kind: "mark", text: text.slice(last) });
  return found;
}
