// What the job belongs to: what it waits for, the steps of its chain, its parent and its children.
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import clsx from "clsx";
import { call } from "@/api/client";
import { searchQuery } from "@/api/queries";
import type { Job, State } from "@/api/types";
import { shortId } from "@/lib/format";
import { type GraphNode, layout, linksOf } from "@/lib/graph";
import { Panel } from "@/ui/Panel";
import { StateIcon } from "@/ui/State";

export function JobGraph({ job }: { job: Job }) {
  const needed = [...(job.depends_on ?? []), ...(job.parent_id ? [job.parent_id] : [])];
  const linked = useQuery({
    queryKey: ["linked", needed],
    enabled: needed.length > 0,
    queryFn: ({ signal }) => call<{ jobs: Job[] }>("/jobs/bulk-get", { method: "POST", body: { job_ids: needed }, signal }),
    refetchInterval: 5_000,
  });
  const chain = useQuery({ ...searchQuery({ chain_id: job.chain_id ?? "", order: "asc", limit: 100 }), enabled: job.chain_id !== undefined, refetchInterval: 5_000 });
  const children = useQuery(searchQuery({ parent_id: job.id, order: "asc", limit: 20 }));
  const graph = linksOf(job, linked.data?.jobs ?? [], chain.data?.jobs ?? [], children.data?.jobs ?? []);
  if (graph.nodes.length < 2) return null;
  const placed = layout(graph);
  return (
    <Panel title="Belongs together" live>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reachable by keyboard */}
      <div className="overflow-x-auto" tabIndex={0} role="group" aria-label="Graph of jobs that belong together">
        <div className="relative" style={{ width: placed.width, height: placed.height }}>
          <svg width={placed.width} height={placed.height} className="absolute inset-0" aria-hidden="true">
            {placed.edges.map((edge) => (
              <path key={edge.id} d={edge.path} fill="none" className={edge.done ? "stroke-good" : "stroke-line-strong"} strokeWidth="1.500" strokeDasharray={edge.done ? undefined : "4 3"} />
            ))}
          </svg>
          {placed.nodes.map((node) => (
            <NodeCard key={node.id} node={node} own={node.id === job.id} />
          ))}
        </div>
      </div>
    </Panel>
  );
}

function NodeCard({ node, own }: { node: GraphNode & { x: number; y: number }; own: boolean }) {
  const inside = (
    <>
      <span className="flex items-center gap-1.5 text-xs font-medium">
        {node.state ? <StateIcon state={node.state as State} /> : <span className="size-3 rounded-full border border-dashed border-ink-3" aria-hidden="true" />}
        <span className="truncate">{node.title}</span>
      </span>
      <span className="block truncate font-mono text-2xs text-ink-3">{node.jobId ? shortId(node.jobId) : (node.note ?? "to come")}</span>
    </>
  );
  const look = clsx("absolute block h-12 w-44 overflow-hidden rounded-lg border px-2.5 py-1.5", own ? "border-accent bg-accent-soft" : "border-line-strong bg-panel", !node.jobId && "border-dashed");
  const place = { transform: `translate(${node.x}px, ${node.y}px)` };
  if (!node.jobId || own)
    return (
      <div className={look} style={place} aria-current={own || undefined}>
        {inside}
      </div>
    );
  return (
    <Link to="/jobs/$id" params={{ id: node.jobId }} className={clsx(look, "hover:border-accent")} style={place}>
      {inside}
    </Link>
  );
}
