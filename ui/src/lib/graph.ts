// Jobs that belong together, as nodes in columns and lines between them: what comes first stands left.

export interface GraphNode {
  id: string;
  kind: string;
  queue?: string;
  state?: string;
  chain_step?: number;
  total?: number;
  pending?: number;
  succeeded?: number;
  failed?: number;
}
export interface GraphEdge {
  from: string;
  to: string;
  kind: string;
}
export interface Graph {
  job_id: string;
  nodes: GraphNode[];
  edges: GraphEdge[];
  truncated: boolean;
}

export interface Placed extends GraphNode {
  x: number;
  y: number;
  /** Stands for so many that are not drawn one by one. */
  others?: number;
}

/** Of a node and of the gap to the next one: where there is room, and where there is little. */
const WIDE = { node: 176, gap: 56 };
const NARROW = { node: 136, gap: 28 };
const HEIGHT = 48;
const GAP_Y = 12;
/** A batch may have thousands of jobs; a column shows so many and says how many more there are. */
const COLUMN_MAX = 8;

/** How many steps each node is from the beginning: one more than the furthest that comes before it. */
export function columns(graph: Graph): Map<string, number> {
  const depth = new Map(graph.nodes.map((node) => [node.id, 0]));
  // No chain of relatives is longer than there are nodes; a circle, which should not be, ends there too.
  for (let round = 0; round < graph.nodes.length; round++) {
    let moved = false;
    for (const { from, to } of graph.edges) {
      const next = (depth.get(from) ?? 0) + 1;
      if (depth.has(to) && next > depth.get(to)! && next < graph.nodes.length) {
        depth.set(to, next);
        moved = true;
      }
    }
    if (!moved) break;
  }
  return depth;
}

/** As wide as the room allows, and not so narrow that nothing can be read. */
function widths(columns: number, room: number): { node: number; gap: number } {
  const takes = ({ node, gap }: typeof WIDE) => columns * (node + gap) - gap;
  const share = (room - takes(NARROW)) / (takes(WIDE) - takes(NARROW));
  const between = (least: number, most: number) =>
    Math.floor(least + Math.min(1, Math.max(0, share)) * (most - least));
  return { node: between(NARROW.node, WIDE.node), gap: between(NARROW.gap, WIDE.gap) };
}

export function layout(graph: Graph, room = Number.POSITIVE_INFINITY) {
  const depth = columns(graph);
  const last = Math.max(...depth.values());
  const { node: nodeWidth, gap } = widths(last + 1, room);
  const byColumn = new Map<number, GraphNode[]>();
  for (const node of graph.nodes)
    byColumn.set(depth.get(node.id)!, [...(byColumn.get(depth.get(node.id)!) ?? []), node]);
  const drawn = new Map<number, Placed[]>();
  const standIn = new Map<string, string>();
  for (const [column, nodes] of byColumn) drawn.set(column, shorten(column, nodes, graph.job_id, standIn));
  const tallest = Math.max(...[...drawn.values()].map((nodes) => nodes.length));
  const height = tallest * (HEIGHT + GAP_Y) - GAP_Y;
  const places = new Map<string, Placed>();
  for (const [column, nodes] of drawn) {
    const own = nodes.length * (HEIGHT + GAP_Y) - GAP_Y;
    nodes.forEach((node, at) => {
      node.x = column * (nodeWidth + gap);
      node.y = (height - own) / 2 + at * (HEIGHT + GAP_Y);
      places.set(node.id, node);
    });
  }
  const lines = new Map<string, { id: string; done: boolean; path: string }>();
  for (const edge of graph.edges) {
    const from = places.get(standIn.get(edge.from) ?? edge.from);
    const to = places.get(standIn.get(edge.to) ?? edge.to);
    if (!from || !to) continue;
    const [x1, y1, x2, y2] = [from.x + nodeWidth, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2];
    const id = `${from.id} ${to.id}`;
    lines.set(id, {
      id,
      done: from.state === "completed",
      path: `M${x1} ${y1}C${x1 + gap / 2} ${y1} ${x2 - gap / 2} ${y2} ${x2} ${y2}`,
    });
  }
  return {
    width: (last + 1) * (nodeWidth + gap) - gap,
    height,
    nodeWidth,
    nodes: [...places.values()],
    edges: [...lines.values()],
  };
}

/** The job itself is always among those that are shown. */
function shorten(column: number, nodes: GraphNode[], own: string, standIn: Map<string, string>): Placed[] {
  if (nodes.length <= COLUMN_MAX) return nodes.map((node) => ({ ...node, x: 0, y: 0 }));
  const sorted = [...nodes].sort((a, b) => Number(b.id === own) - Number(a.id === own));
  const shown: Placed[] = sorted.slice(0, COLUMN_MAX - 1).map((node) => ({ ...node, x: 0, y: 0 }));
  const id = `others-${column}`;
  for (const node of sorted.slice(COLUMN_MAX - 1)) standIn.set(node.id, id);
  return [...shown, { id, kind: "others", others: nodes.length - shown.length, x: 0, y: 0 }];
}

/** What a node is called. */
export function titleOf(node: Placed): string {
  if (node.others) return `and ${node.others} more`;
  if (node.kind === "batch") return `batch, ${node.succeeded ?? 0} of ${node.total ?? 0} done`;
  if (node.state === "gone") return "no longer kept";
  const name = node.queue ?? "";
  if (node.chain_step === -1) return `on exit: ${name}`;
  if (node.chain_step === -2) return `on failure: ${name}`;
  return node.chain_step === undefined ? name : `${node.chain_step + 1}. ${name}`;
}
