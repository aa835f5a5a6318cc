import type { Batch } from "@/api/types";

/** Done, failed and still to come, in one bar. */
export function BatchBar({ batch }: { batch: Batch }) {
  const part = (count: number) => `${batch.total ? (count / batch.total) * 100 : 0}%`;
  return (
    <div
      role="img"
      aria-label={`${batch.succeeded} done, ${batch.failed} failed, ${batch.pending} to come of ${batch.total}`}
      className="flex h-2 min-w-24 overflow-hidden rounded-full bg-line"
    >
      <div className="bg-good" style={{ width: part(batch.succeeded) }} />
      <div className="bg-bad" style={{ width: part(batch.failed) }} />
    </div>
  );
}
