import cronstrue from "cronstrue";

/** A cron expression in words; null if it is none. */
export function inWords(cron: string): string | null {
  const names: Record<string, string> = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
  };
  const text = names[cron.trim()] ?? cron.trim();
  try {
    return cronstrue.toString(text, { use24HourTimeFormat: true, verbose: false });
  } catch {
    return null;
  }
}
