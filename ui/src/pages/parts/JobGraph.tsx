// What the job belongs to: what it waits for and who waits for it, its chain, its batch, its parent and children.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { Boxes } from "lucide-react";
import { useCallback, useMemo, useState } from "react";
import { call } from "@/api/client";
import { beat } from "@/api/queries";
import type { Job, State } from "@/api/types";
import { STATES } from "@/api/types";
import { shortId } from "@/lib/format";
import { type Graph, layout, type Placed, titleOf } from "@/lib/graph";
import { Panel } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";

export function JobGraph({ job }: { job: Job }) {
  const found = useQuery({
    queryKey: ["graph", job.id, job.state],
    queryFn: ({ signal }) => call<Graph>(`/jobs/${encodeURIComponent(job.id)}/graph`, { signal }),
    // While the job goes from state to state its relatives stay where they are.
    placeholderData: (known, before) => (before?.queryKey[1] === job.id ? known : undefined),
    refetchInterval: (query) => ((query.state.data?.nodes.length ?? 0) > 1 && !beat.paused ? 5_000 : false),
  });
  const [room, setRoom] = useState(0);
  const measure = useCallback((element: HTMLDivElement) => {
    const look = () => setRoom(element.clientWidth);
    look();
    const watch = new ResizeObserver(look);
    watch.observe(element);
    return () => watch.disconnect();
  }, []);
  const placed = useMemo(
    () => (found.data && found.data.nodes.length > 1 ? layout(found.data, room) : null),
    [found.data, room],
  );
  if (!placed) return null;
  return (
    <Panel title="Belongs together" updatedAt={found.dataUpdatedAt}>
      {/* A region that scrolls must be reachable by keyboard. */}
      <div
        ref={measure}
        className="overflow-x-auto"
        tabIndex={0}
        role="group"
        aria-label="Graph of jobs that belong together"
      >
        <div className="relative" style={{ width: placed.width, height: placed.height }}>
          <svg width={placed.width} height={placed.height} className="absolute inset-0" aria-hidden="true">
            {placed.edges.map((edge) => (
              <path
                key={edge.id}
                d={edge.path}
                fill="none"
                className={edge.done ? "stroke-good" : "stroke-line-strong"}
                strokeWidth="1.5"
                strokeDasharray={edge.done ? undefined : "4 3"}
              />
            ))}
          </svg>
          {placed.nodes.map((node) => (
            <NodeCard key={node.id} node={node} width={placed.nodeWidth} own={node.id === job.id} />
          ))}
        </div>
      </div>
      {found.data?.truncated && (
        <p className="mt-2 text-xs text-ink-3">There are more relatives than are shown.</p>
      )}
    </Panel>
  );
}

function NodeCard({ node, width, own }: { node: Placed; width: number; own: boolean }) {
  const isJob = node.kind === "job" && node.state !== "gone";
  const look = clsx(
    "absolute block h-12 overflow-hidden rounded-lg border px-2.5 py-1.5",
    own ? "border-accent bg-accent-soft" : "border-line-strong bg-panel",
    !isJob && node.kind !== "batch" && "border-dashed",
  );
  const inside = (
    <>
      <span className="flex items-center gap-1.5 text-xs font-medium">
        {STATES.includes(node.state as State) && isJob ? (
          <StateIcon state={node.state as State} />
        ) : node.kind === "batch" ? (
          <Boxes className="size-3.5 text-ink-3" aria-hidden="true" />
        ) : (
          <span className="size-3 rounded-full border border-dashed border-ink-3" aria-hidden="true" />
        )}
        <span className="truncate">{titleOf(node)}</span>
      </span>
      <span className="block truncate font-mono text-2xs text-ink-3">
        {isJob || node.kind === "batch" ? shortId(node.id) : node.others ? "" : (node.state ?? "")}
      </span>
    </>
  );
  const place = { width, transform: `translate(${node.x}px, ${node.y}px)` };
  if (isJob && !own)
    return (
      <Link
        to="/jobs/$id"
        params={{ id: node.id }}
        className={clsx(look, "hover:border-accent")}
        style={place}
      >
        {inside}
      </Link>
    );
  if (node.kind === "batch")
    return (
      <Link
        to="/batches/$id"
        params={{ id: node.id }}
        className={clsx(look, "hover:border-accent")}
        style={place}
      >
        {inside}
      </Link>
    );
  return (
    <div className={look} style={place} aria-current={own || undefined}>
      {inside}
    </div>
  );
}
