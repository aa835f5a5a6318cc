// Times as people read them. The exact one is always a hover away, in the reader's own zone.

const UNITS: [number, string][] = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "m"],
  [1_000, "s"],
];

/** "1h 5m", "4.2s", "120ms": at most two units, the second only if it says something. */
export function duration(ms: number): string {
  const size = Math.abs(ms);
  if (size < 1_000) return `${Math.round(size)}ms`;
  if (size < 10_000) return `${(Math.floor(size / 100) / 10).toFixed(1)}s`;
  for (let at = 0; at < UNITS.length; at++) {
    const [unit, name] = UNITS[at]!;
    if (size < unit) continue;
    const whole = Math.floor(size / unit);
    const next = UNITS[at + 1];
    const rest = next ? Math.floor((size % unit) / next[0]) : 0;
    return rest && whole < 100 ? `${whole}${name} ${rest}${next![1]}` : `${whole}${name}`;
  }
  return "0s";
}

/** The same of something that somebody chose, and that was not measured: "1s", not "1.0s". */
export const period = (ms: number): string => duration(ms).replace(/\.0s$/, "s");

/** "3m ago", "in 2h 10m", "now". */
export function relative(atMs: number, nowMs: number): string {
  const diff = nowMs - atMs;
  if (Math.abs(diff) < 1_000) return "now";
  const text = period(Math.abs(diff) < 60_000 ? Math.floor(Math.abs(diff) / 1_000) * 1_000 : Math.abs(diff));
  return diff > 0 ? `${text} ago` : `in ${text}`;
}

let exactFormat: Intl.DateTimeFormat | undefined;

/** Date, time to the millisecond and zone. */
export function exact(atMs: number): string {
  exactFormat ??= new Intl.DateTimeFormat(undefined, {
    year: "numeric",
    month: "short",
    day: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    timeZoneName: "short",
  });
  return exactFormat.format(atMs);
}

let clockFormat: Intl.DateTimeFormat | undefined;

/** The time of the day, to the millisecond. */
export function clock(atMs: number): string {
  clockFormat ??= new Intl.DateTimeFormat(undefined, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    fractionalSecondDigits: 3,
    hourCycle: "h23",
  });
  return clockFormat.format(atMs);
}

let dayFormat: Intl.DateTimeFormat | undefined;

export function day(atMs: number): string {
  dayFormat ??= new Intl.DateTimeFormat(undefined, { weekday: "short", month: "short", day: "numeric" });
  return dayFormat.format(atMs);
}

const DAY_MS = 86_400_000;
const utc = { timeZone: "UTC" } as const;
const weekdayFormat = new Intl.DateTimeFormat("en-GB", { weekday: "short", ...utc });
const dateFormat = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...utc });
const yearFormat = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  year: "numeric",
  ...utc,
});

/**
 * The day of a time as it is told where it is told, such as "2026-11-17T00:30:00+01:00": that of the week, or
 * the date if there is another such day before it, and the year if there is another such date.
 */
export function dayOf(local: string, nowMs: number): string {
  const ahead = Date.parse(local) - nowMs;
  const format = ahead < 6 * DAY_MS ? weekdayFormat : ahead < 360 * DAY_MS ? dateFormat : yearFormat;
  return format.format(Date.parse(`${local.slice(0, 10)}T00:00Z`));
}

export const ms = (iso: string | undefined | null): number | undefined => (iso ? Date.parse(iso) : undefined);
export const nsToMs = (ns: number): number => ns / 1e6;
