// How this node takes writes: what waits, what the disk costs, what is kept.
import { TriangleAlert } from "lucide-react";
import type { Cluster } from "@/api/types";
import { slowSync } from "@/lib/disk";
import { bytes, durability, number, plural } from "@/lib/format";
import { Fact } from "@/ui/Fact";

export function WritePath({ cluster }: { cluster: Cluster }) {
  const syncs = cluster.sync_time_hist;
  const slow = slowSync(syncs);
  return (
    <>
      {slow && (
        <p
          role="status"
          className="mb-4 flex items-start gap-2.5 rounded-lg bg-warn-soft px-3 py-2 text-sm text-pretty"
        >
          <TriangleAlert className="mt-0.5 size-4 shrink-0 text-warn" aria-hidden="true" />
          <span>
            <b className="font-medium">The disk is slow.</b> A write is answered once it is synced, so one in
            a hundred takes {slow} or so longer: enqueuing, fetching and acking alike. Put the data folder on
            a local SSD that serves nothing else.
            {cluster.nodes.length > 1 && " The others have disks of their own: see their pages."}
          </span>
        </p>
      )}
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        <Fact term="Applied">{plural(cluster.applied_total, "entry", "entries")}</Fact>
        <Fact term="Waiting now">{number(cluster.apply_pending_now)}</Fact>
        <Fact term="Turned away">{number(cluster.overload_total)}</Fact>
        <Fact term="In the queue, p50">{cluster.queue_time_hist?.p50 ?? "–"}</Fact>
        <Fact term="In the queue, p99">{cluster.queue_time_hist?.p99 ?? "–"}</Fact>
        <Fact term="Applying, p99">{cluster.apply_time_hist?.p99 ?? "–"}</Fact>
        {cluster.raft_nosync ? (
          <Fact term="Disk sync">not waited for</Fact>
        ) : (
          <>
            <Fact term="Disk sync, p50">{syncs?.p50 ?? "–"}</Fact>
            <Fact term="Disk sync, p99">
              <span className={slow ? "text-warn" : undefined}>{syncs?.p99 ?? "–"}</span>
            </Fact>
          </>
        )}
        <Fact term="Durable">{durability(cluster)}</Fact>
        <Fact term="Journal">
          {cluster.snapshot.latest_size === undefined ? "–" : bytes(cluster.snapshot.latest_size)}
        </Fact>
        <Fact term="Begins at entry">{number(cluster.snapshot.latest_index ?? 0)}</Fact>
      </dl>
      <p className="mt-3 text-2xs text-ink-3">Times are upper bounds, since this node started.</p>
    </>
  );
}
