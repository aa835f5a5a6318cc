// What the disk costs: every write waits until it is on it.
import type { Histogram } from "@/api/types";

/** From here on people notice. */
const SLOW_MS = 50;

/** How long the slowest of a hundred syncs takes, if that is too long. The server tells times as "12.5ms". */
export function slowSync(syncs: Histogram | undefined): string | null {
  const p99 = syncs?.p99;
  return p99 !== undefined && Number.parseFloat(p99) > SLOW_MS ? p99 : null;
}
