// What time it is where the times come from. A browser's clock may be minutes off; what the server says happened
// "just now" must not be told as "in 4m", nor its workers be taken for silent.

let aheadMs = 0;
/** Less than this is what an answer takes on its way, and the seconds its header leaves out. */
const TRIFLE_MS = 5_000;

/** Told by the Date header of every answer. */
export function setClock(date: string | null, localMs = Date.now()): void {
  const server = date === null ? Number.NaN : Date.parse(date);
  if (Number.isNaN(server)) return;
  const found = server - localMs;
  if (Math.abs(found) < TRIFLE_MS) aheadMs = 0;
  else if (Math.abs(found - aheadMs) > TRIFLE_MS) aheadMs = found;
}

/** The server's time at a moment of this browser's. */
export const serverTime = (localMs: number): number => localMs + aheadMs;
