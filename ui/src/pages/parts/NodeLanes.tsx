// Consensus you can see: each node a lane, filled as far as its log has been applied.
import clsx from "clsx";
import { Crown, Unplug } from "lucide-react";
import type { Cluster, ClusterNode } from "@/api/types";
import { durability, number, plural } from "@/lib/format";

const num = (value: unknown): number | undefined =>
  value === undefined || value === null || value === "" ? undefined : Number(value);

/** How many entries a node is behind the newest one that is agreed on; undefined if it is not known. */
export function lagOf(node: ClusterNode, cluster: Cluster): number | undefined {
  const commit = Number(cluster.commit_index);
  const at = node.self ? Number(cluster.applied_index) : (num(node.applied_index) ?? num(node.match_index));
  return at === undefined || Number.isNaN(at) ? num(node.lag) : Math.max(0, commit - at);
}

export function NodeLanes({ cluster, brief }: { cluster: Cluster; brief?: boolean }) {
  return (
    <ul className="space-y-3">
      {cluster.nodes.map((node) => {
        const leads = node.id === cluster.leader_id;
        const away = node.connected === false;
        const lag = away ? undefined : lagOf(node, cluster);
        const filled = lag === undefined ? 0 : Math.max(2, 100 - Math.min(98, lag / 10));
        return (
          <li key={node.id}>
            <div className="flex items-center gap-2 text-sm">
              <span className={clsx("size-2 rounded-full", away ? "bg-bad" : "bg-good")} aria-hidden="true" />
              <span className="min-w-0 truncate font-medium">{node.id}</span>
              {node.self && <span className="rounded bg-sunken px-1.5 text-2xs text-ink-2">this node</span>}
              <span
                className={clsx(
                  "ml-auto inline-flex items-center gap-1 text-xs",
                  leads ? "text-accent" : away ? "text-bad" : "text-ink-3",
                )}
              >
                {leads && <Crown className="size-3.5" aria-hidden="true" />}
                {away && <Unplug className="size-3.5" aria-hidden="true" />}
                {away ? "not reachable" : leads ? "leader" : (node.role ?? "follower")}
              </span>
            </div>
            <div className="mt-1.5 h-2 overflow-hidden rounded-full bg-sunken" aria-hidden="true">
              <div
                className={clsx(
                  "h-full rounded-full",
                  away ? "bg-line-strong" : leads ? "bg-accent" : "bg-good",
                )}
                style={{ width: `${away ? 100 : filled}%` }}
              />
            </div>
            {!brief && (
              <p className="nums mt-1 flex flex-wrap gap-x-4 text-xs text-ink-3">
                {node.address && <span>{node.address}</span>}
                <span>
                  {lag === undefined
                    ? "progress not known"
                    : lag === 0
                      ? "up to date"
                      : `${plural(lag, "entry", "entries")} behind`}
                </span>
                {node.mirror_lag !== undefined && node.mirror_lag > 0 && (
                  <span>search view {plural(node.mirror_lag, "entry", "entries")} behind</span>
                )}
                {node.voter === false && <span>does not vote</span>}
              </p>
            )}
          </li>
        );
      })}
      {brief && (
        <li className="nums flex flex-wrap justify-between gap-x-3 text-xs text-ink-3">
          <span>term {number(cluster.term)}</span>
          <span>entry {number(Number(cluster.commit_index))}</span>
          <span>durable: {durability(cluster)}</span>
        </li>
      )}
    </ul>
  );
}
