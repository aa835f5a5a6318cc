import { expect, test } from "vitest";
import { columns, type Graph, layout, titleOf } from "./graph";

const graph = (nodes: string[], edges: [string, string][]): Graph => ({
  job_id: nodes[0]!,
  nodes: nodes.map((id) => ({ id, kind: "job", queue: id, state: "pending" })),
  edges: edges.map(([from, to]) => ({ from, to, kind: "dependency" })),
  truncated: false,
});

test("what comes first stands left, as far as the longest way to it", () => {
  const depth = columns(
    graph(
      ["a", "b", "c", "d"],
      [
        ["a", "b"],
        ["b", "d"],
        ["a", "d"],
        ["c", "d"],
      ],
    ),
  );
  expect(Object.fromEntries(depth)).toEqual({ a: 0, b: 1, c: 0, d: 2 });
});

test("a circle does not hang the page", () => {
  const placed = layout(
    graph(
      ["a", "b"],
      [
        ["a", "b"],
        ["b", "a"],
      ],
    ),
  );
  expect(placed.nodes).toHaveLength(2);
});

test("nodes do not lie on each other and stay within the drawing", () => {
  const placed = layout(
    graph(
      ["a", "b", "c"],
      [
        ["a", "c"],
        ["b", "c"],
      ],
    ),
  );
  const taken = new Set(placed.nodes.map((node) => `${node.x},${node.y}`));
  expect(taken.size).toBe(3);
  for (const node of placed.nodes) {
    expect(node.x + placed.nodeWidth).toBeLessThanOrEqual(placed.width);
    expect(node.y + 48).toBeLessThanOrEqual(placed.height);
  }
});

test("a chain of three takes the room it has, and no less than it takes to read it", () => {
  const chain = graph(
    ["a", "b", "c"],
    [
      ["a", "b"],
      ["b", "c"],
    ],
  );
  for (const room of [500, 542, 600]) {
    const { width, nodeWidth } = layout(chain, room);
    expect(width).toBeLessThanOrEqual(room);
    expect(width).toBeGreaterThan(room - 5);
    expect(nodeWidth).toBeGreaterThan(130);
  }
  expect(layout(chain, 2_000)).toEqual(layout(chain));
  expect(layout(chain, 300)).toEqual(layout(chain, 100));
});

test("of a crowd some are shown, the job itself among them, and the rest are counted", () => {
  const names = Array.from({ length: 50 }, (_, at) => `j${at}`);
  const crowd = graph(
    [...names, "end"],
    names.map((name) => [name, "end"]),
  );
  crowd.job_id = "j40";
  const placed = layout(crowd);
  expect(placed.nodes.some((node) => node.id === "j40")).toBe(true);
  expect(placed.nodes.map(titleOf)).toContain("and 43 more");
  expect(placed.edges.length).toBe(8);
});

test("nodes are called by what they are", () => {
  const at = { x: 0, y: 0, id: "x" };
  expect(titleOf({ ...at, kind: "job", queue: "etl", chain_step: 1 })).toBe("2. etl");
  expect(titleOf({ ...at, kind: "step", queue: "alarm", chain_step: -2 })).toBe("on failure: alarm");
  expect(titleOf({ ...at, kind: "batch", total: 9, succeeded: 4 })).toBe("batch, 4 of 9 done");
  expect(titleOf({ ...at, kind: "job", state: "gone" })).toBe("no longer kept");
});
