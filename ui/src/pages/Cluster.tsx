import { useQuery } from "@tanstack/react-query";
import clsx from "clsx";
import { useEffect, useMemo, useRef, useState } from "react";
import { clusterQuery } from "@/api/queries";
import type { Cluster as ClusterInfo } from "@/api/types";
import { Page } from "@/app/Page";
import { number, plural } from "@/lib/format";
import { clock, duration } from "@/lib/time";
import { Failure, Skeleton } from "@/ui/Empty";
import { Fact } from "@/ui/Fact";
import { Panel } from "@/ui/Panel";
import { Sparkline } from "@/ui/Sparkline";
import { Tip } from "@/ui/Tip";
import { NodeLanes } from "./parts/NodeLanes";
import { WritePath } from "./parts/WritePath";

export default function Cluster() {
  const found = useQuery(clusterQuery);
  if (found.isPending)
    return (
      <Page title="Cluster">
        <Skeleton rows={8} />
      </Page>
    );
  if (!found.data)
    return (
      <Page title="Cluster">
        <Failure error={found.error} retry={() => void found.refetch()} />
      </Page>
    );
  const cluster = found.data;
  const voters = cluster.nodes.filter((node) => node.voter !== false).length;
  const away = cluster.nodes.filter((node) => node.connected === false).length;
  const spare = Math.floor((voters - 1) / 2) - away;
  const well = cluster.status === "healthy" && away === 0;
  return (
    <Page
      title={
        <span className="flex items-center gap-3">
          Cluster
          <span
            className={clsx(
              "rounded-full px-2 py-0.5 text-xs font-medium",
              well ? "bg-good-soft text-good" : "bg-warn-soft text-warn",
            )}
          >
            {cluster.status !== "healthy" || well ? cluster.status : `${plural(away, "node")} away`}
          </span>
        </span>
      }
      name="Cluster"
      description={
        voters === 1
          ? `A single node: ${cluster.raft_nosync ? "writes survive a crash of the process, not a power cut" : "every write is on its disk before it is answered"}. If it stops, everything waits until it is back.`
          : spare > 0
            ? `${plural(spare, "more node")} may stop and the others go on.`
            : spare === 0
              ? "If one more node stops, writes wait until it is back."
              : "There is no quorum: writes wait."
      }
    >
      <div className="grid gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,1fr)]">
        <Panel title="Nodes" updatedAt={found.dataUpdatedAt}>
          <NodeLanes cluster={cluster} />
        </Panel>
        <Consensus cluster={cluster} updatedAt={found.dataUpdatedAt} />
        <Panel title="Write path" updatedAt={found.dataUpdatedAt}>
          <WritePath cluster={cluster} />
        </Panel>
        <Panel title="Search view" updatedAt={found.dataUpdatedAt}>
          <Mirror cluster={cluster} />
        </Panel>
      </div>
    </Page>
  );
}

interface Sight {
  at: number;
  term: number;
  leader: string | null;
  commit: number;
  lag: number;
}

const SIGHTS = 120;

/** What this page saw of the cluster since it was opened: its pace, and who led when. */
function Consensus({ cluster, updatedAt }: { cluster: ClusterInfo; updatedAt: number }) {
  const sights = useRef<Sight[]>([]);
  const [, redraw] = useState(0);
  useEffect(() => {
    const last = sights.current.at(-1);
    if (last?.at === updatedAt) return;
    const commit = Number(cluster.commit_index);
    sights.current = [
      ...sights.current,
      {
        at: updatedAt,
        term: cluster.term,
        leader: cluster.leader_id ?? null,
        commit,
        lag: Math.max(0, commit - Number(cluster.applied_index)),
      },
    ].slice(-SIGHTS);
    redraw((count) => count + 1);
  }, [cluster, updatedAt]);
  const seen = sights.current;
  const pace = seen
    .slice(1)
    .map((sight, at) =>
      Math.max(0, (sight.commit - seen[at]!.commit) / Math.max(0.1, (sight.at - seen[at]!.at) / 1_000)),
    );
  const elections = useMemo(
    () =>
      seen.filter(
        (sight, at) => at > 0 && (sight.leader !== seen[at - 1]!.leader || sight.term !== seen[at - 1]!.term),
      ),
    [seen],
  );
  return (
    <Panel title="Consensus" updatedAt={updatedAt}>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        <Fact term="Leader">{cluster.leader_id ?? "none"}</Fact>
        <Fact term="Term">{number(cluster.term)}</Fact>
        <Fact term="This node is">{cluster.state.toLowerCase()}</Fact>
        <Fact term="Agreed up to entry">{number(Number(cluster.commit_index))}</Fact>
        <Fact term="Applied up to entry">{number(Number(cluster.applied_index))}</Fact>
        <Fact term="Entries per second">
          <span className="flex items-center gap-2">
            {number(Math.round(pace.at(-1) ?? 0))}
            <Sparkline
              values={pace}
              label="Entries per second since this page was opened"
              width={80}
              height={18}
            />
          </span>
        </Fact>
      </dl>
      <h3 className="mt-4 text-xs font-medium text-ink-2">Elections seen by this page</h3>
      {elections.length === 0 ? (
        <p className="text-sm text-ink-3">None since it was opened.</p>
      ) : (
        <ol className="nums mt-1 space-y-0.5 text-sm">
          {[...elections].reverse().map((sight) => (
            <li key={sight.at}>
              <span className="text-ink-3">{clock(sight.at).slice(0, 8)}</span> term {sight.term}:{" "}
              {sight.leader ? `${sight.leader} leads` : "no leader"}
            </li>
          ))}
        </ol>
      )}
    </Panel>
  );
}

/** In the order they are shown; figures that have no name here say nothing to a person. */
const MIRROR_NAMES: [name: string, term: string, unit?: string][] = [
  ["lag", "Behind by"],
  ["queue_depth", "Waiting"],
  ["applied", "Written"],
  ["flushes", "Flushes"],
  ["flush_ms_last", "Last flush", "ms"],
  ["flush_ms_max", "Longest flush", "ms"],
  ["dropped", "Dropped"],
  ["gaps", "Gaps caught up with"],
  ["failures", "Failed flushes"],
];

function standing(lag: number, behindMs: number): string {
  if (lag === 0) return "Up to date: searches see every write.";
  const behind = `${plural(lag, "entry", "entries")} behind`;
  if (behindMs < 1_000) return `${behind}; a search waits up to a second for it.`;
  return `${behind}: searches show what was there ${duration(behindMs)} ago. Beyond 2s, writes slow down for it.`;
}

function Mirror({ cluster }: { cluster: ClusterInfo }) {
  const mirror = cluster.sqlite_mirror ?? {};
  const rebuild = cluster.sqlite_rebuild ?? {};
  return (
    <>
      <p className="mb-3 text-sm">
        {standing(Number(mirror.lag ?? 0), Number(mirror.behind_ms ?? 0))}{" "}
        <Tip text="Lists and searches read a SQLite copy that follows the log. Single jobs and counters are always read from the store itself.">
          <button type="button" className="text-ink-3 underline decoration-dotted underline-offset-2">
            What is this?
          </button>
        </Tip>
      </p>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-3">
        {MIRROR_NAMES.filter(([name]) => typeof mirror[name] === "number").map(([name, term, unit]) => (
          <Fact key={name} term={term}>
            {number(Math.round(Number(mirror[name])))} {unit}
          </Fact>
        ))}
        {rebuild.ran ? (
          <Fact term="Last rebuilt in">{number(Number(rebuild.last_duration_ms ?? 0))} ms</Fact>
        ) : null}
      </dl>
    </>
  );
}
