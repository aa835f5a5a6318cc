// Minutes as a chart shows them.

export const MINUTE_MS = 60_000;

/**
 * Counts by minute, the last of which is under way. Drawn as it is, every line would fall to nothing at its end
 * once a minute; so the last one counts the last sixty seconds, as the server's own rates do: of the minute
 * before, as much as this one has yet to run.
 */
export function rolling(counts: number[], lastBeganMs: number, nowMs: number): number[] {
  const [before, last] = counts.slice(-2);
  if (before === undefined || last === undefined) return counts;
  const ahead = 1 - Math.min(1, Math.max(0, (nowMs - lastBeganMs) / MINUTE_MS));
  return [...counts.slice(0, -1), Math.round(last + before * ahead)];
}
