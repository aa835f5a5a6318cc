// Jobs that belong together, as nodes in columns and lines between them.
import type { Job, JobRow } from "@/api/types";

export interface GraphNode {
  id: string;
  column: number;
  title: string;
  jobId?: string;
  state?: string;
  note?: string;
}
export interface GraphEdge {
  from: string;
  to: string;
  done: boolean;
}
export interface Graph {
  nodes: GraphNode[];
  edges: GraphEdge[];
}

type Row = Pick<JobRow, "id" | "state" | "queue" | "chain_step">;

export function linksOf(job: Job, linked: Row[], chain: Row[], children: Row[]): Graph {
  const nodes = new Map<string, GraphNode>();
  const edges: GraphEdge[] = [];
  const known = new Map(linked.map((row) => [row.id, row]));
  const steps = job.chain_config?.steps ?? [];
  const own = 1 + Math.max(0, job.chain_step ?? 0);
  const add = (node: GraphNode) => {
    if (!nodes.has(node.id)) nodes.set(node.id, node);
  };
  for (const id of [...(job.depends_on ?? []), ...(job.parent_id ? [job.parent_id] : [])]) {
    const row = known.get(id);
    add({ id, column: own - 1, title: row?.queue ?? "gone", jobId: id, ...(row ? { state: row.state } : { note: "no longer kept" }) });
    edges.push({ from: id, to: job.id, done: row?.state === "completed" });
  }
  add({ id: job.id, column: own, title: job.queue, jobId: job.id, state: job.state });
  if (steps.length) addChain(job, steps, chain, add, edges);
  for (const row of children) {
    add({ id: row.id, column: own + 1, title: row.queue, jobId: row.id, state: row.state });
    edges.push({ from: job.id, to: row.id, done: row.state === "completed" });
  }
  return { nodes: [...nodes.values()], edges };
}

/** Steps that have a job are that job; the others are still to come. A retried step may have several; the last counts. */
function addChain(job: Job, steps: { queue: string }[], chain: Row[], add: (node: GraphNode) => void, edges: GraphEdge[]): void {
  const byStep = new Map(chain.map((row) => [row.chain_step, row]));
  if (job.chain_step !== undefined) byStep.set(job.chain_step, job);
  const idOf = (step: number) => byStep.get(step)?.id ?? `step-${step}`;
  steps.forEach((step, at) => {
    const row = byStep.get(at);
    add(row ? { id: row.id, column: at + 1, title: `${at + 1}. ${row.queue}`, jobId: row.id, state: row.state } : { id: idOf(at), column: at + 1, title: `${at + 1}. ${step.queue}` });
    if (at > 0) edges.push({ from: idOf(at - 1), to: idOf(at), done: byStep.get(at - 1)?.state === "completed" });
  });
  for (const [step, name] of [
    [-1, "on exit"],
    [-2, "on failure"],
  ] as const) {
    const row = byStep.get(step);
    const planned = step === -1 ? job.chain_config?.on_exit : job.chain_config?.on_failure;
    if (!row && !planned) continue;
    add(
      row
        ? { id: row.id, column: steps.length + 1, title: `${name}: ${row.queue}`, jobId: row.id, state: row.state }
        : { id: idOf(step), column: steps.length + 1, title: `${name}: ${planned!.queue}` },
    );
    edges.push({ from: idOf(steps.length - 1), to: idOf(step), done: row !== undefined });
  }
}

const WIDTH = 176;
const HEIGHT = 48;
const GAP_X = 56;
const GAP_Y = 12;

export function layout(graph: Graph) {
  const first = Math.min(...graph.nodes.map((node) => node.column));
  const columns = new Map<number, GraphNode[]>();
  for (const node of graph.nodes) columns.set(node.column, [...(columns.get(node.column) ?? []), node]);
  const tallest = Math.max(...[...columns.values()].map((column) => column.length));
  const height = tallest * HEIGHT + (tallest - 1) * GAP_Y;
  const places = new Map<string, { x: number; y: number }>();
  for (const [column, nodes] of columns) {
    const own = nodes.length * HEIGHT + (nodes.length - 1) * GAP_Y;
    nodes.forEach((node, at) => {
      places.set(node.id, { x: (column - first) * (WIDTH + GAP_X), y: (height - own) / 2 + at * (HEIGHT + GAP_Y) });
    });
  }
  const last = Math.max(...graph.nodes.map((node) => node.column));
  return {
    width: (last - first + 1) * WIDTH + (last - first) * GAP_X,
    height,
    nodes: graph.nodes.map((node) => ({ ...node, ...places.get(node.id)! })),
    edges: graph.edges.map((edge) => {
      const from = places.get(edge.from)!;
      const to = places.get(edge.to)!;
      const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
      return { id: `${edge.from}-${edge.to}`, done: edge.done, path: `M${x1} ${y1}C${x1 + 28} ${y1} ${x2 - 28} ${y2} ${x2} ${y2}` };
    }),
  };
}
