import { expect, test } from "vitest";
import type { Job } from "@/api/types";
import { layout, linksOf } from "./graph";

const job = (more: Partial<Job>): Job => ({ id: "job_me", queue: "b", state: "active", ...more }) as Job;

test("a chain is its steps in a row, done ones joined to what came of them", () => {
  const graph = linksOf(
    job({ chain_step: 1, chain_config: { steps: [{ queue: "a" }, { queue: "b" }, { queue: "c" }], on_failure: { queue: "alarm" } } }),
    [],
    [{ id: "job_1", state: "completed", queue: "a", chain_step: 0 }],
    [],
  );
  expect(graph.nodes.map((node) => [node.title, node.jobId ?? "to come"])).toEqual(
    expect.arrayContaining([
      ["1. a", "job_1"],
      ["3. c", "to come"],
      ["on failure: alarm", "to come"],
    ]),
  );
  expect(graph.edges).toContainEqual({ from: "job_1", to: "job_me", done: true });
  expect(graph.edges).toContainEqual({ from: "job_me", to: "step-2", done: false });
});

test("dependencies stand before the job, children after it, and what is gone is said to be", () => {
  const graph = linksOf(job({ depends_on: ["job_a", "job_b"] }), [{ id: "job_a", state: "completed", queue: "x" }], [], [{ id: "job_c", state: "pending", queue: "y" }]);
  const column = Object.fromEntries(graph.nodes.map((node) => [node.id, node.column]));
  expect(column.job_a).toBeLessThan(column.job_me!);
  expect(column.job_c).toBeGreaterThan(column.job_me!);
  expect(graph.nodes.find((node) => node.id === "job_b")?.note).toBe("no longer kept");
  const placed = layout(graph);
  expect(placed.nodes.every((node) => node.x >= 0 && node.y >= 0 && node.y + 48 <= placed.height)).toBe(true);
});

test("a job on its own is alone", () => {
  expect(linksOf(job({}), [], [], []).nodes).toHaveLength(1);
});
