import { describe, expect, test } from "vitest";
import type { Job, JobRow, LiveEvent, Queue } from "@/api/types";
import { mergeQueue, touched, withCounters, withEvents, withRows } from "./deltas";
import { FrameReader } from "./sse";
import { scopeQuery } from "./stream";

const queue = (name: string, pending: number, more: Partial<Queue> = {}): Queue => ({
  name,
  paused: false,
  created_at: "2026-01-31T12:00:00Z",
  pending,
  blocked: 0,
  active: 0,
  held: 0,
  completed: 0,
  dead: 0,
  scheduled: 0,
  retrying: 0,
  cancelled: 0,
  enqueued: 0,
  completed_total: 0,
  failed: 0,
  ...more,
});
const event = (seq: number, type: string, job_id?: string): LiveEvent => ({
  seq,
  type,
  at_ns: seq,
  ...(job_id ? { job_id } : {}),
});
const rates = {
  minute: { enqueued: 1, completed: 1, failed: 0 },
  hour: { enqueued: 9, completed: 9, failed: 0 },
};

describe("counters", () => {
  test("replace counters, and leave alone what the stream does not carry", () => {
    const known = [queue("a", 1, { rates }), queue("b", 2)];
    const after = withCounters(known, new Map([["a", queue("a", 7)]]))!;
    expect(after[0]).toMatchObject({ name: "a", pending: 7, rates });
    expect(after[1]).toBe(known[1]);
  });
  test("a limit that was removed is gone", () => {
    const merged = mergeQueue(queue("a", 1, { rates, max_concurrency: 5 }), queue("a", 1));
    expect(merged.max_concurrency).toBeUndefined();
    expect(merged.rates).toBe(rates);
  });
  test("a new queue takes its place in the order of names", () => {
    const after = withCounters([queue("a", 1), queue("c", 1)], new Map([["b", queue("b", 1)]]))!;
    expect(after.map((each) => each.name)).toEqual(["a", "b", "c"]);
  });
  test("nothing new is nothing new: the same object", () => {
    const known = [queue("a", 1)];
    expect(withCounters(known, new Map())).toBe(known);
  });
  test("before the first reading there is nothing to patch", () => {
    expect(withCounters(undefined, new Map([["a", queue("a", 1)]]))).toBeUndefined();
  });
});

describe("rows", () => {
  test("only jobs that are shown count, and one that was deleted is gone", () => {
    const found = touched(new Set(["x", "y"]), [
      event(1, "started", "x"),
      event(2, "started", "other"),
      event(3, "completed", "y"),
      event(4, "deleted", "y"),
      event(5, "progress", "y"),
    ]);
    expect([...found.changed]).toEqual(["x"]);
    expect([...found.gone]).toEqual(["y"]);
  });
  test("a thousand events of one job are one look at it", () => {
    const events = Array.from({ length: 1_000 }, (_, at) => event(at, "progress", "x"));
    expect(touched(new Set(["x"]), events).changed.size).toBe(1);
  });
  test("rows that did not change keep their identity", () => {
    const rows = [
      { id: "x", state: "pending" },
      { id: "y", state: "pending" },
    ] as JobRow[];
    const after = withRows(
      rows,
      new Map([["y", { id: "y", state: "active", errors: [] } as unknown as Job]]),
    );
    expect(after[0]).toBe(rows[0]);
    expect(after[1]).toEqual({ id: "y", state: "active" });
    expect(withRows(rows, new Map())).toBe(rows);
    expect(withRows(rows, new Map(), new Set(["x"]))).toEqual([rows[1]]);
  });
});

describe("the tail of events", () => {
  test("has the newest first, no event twice, and no more than fit", () => {
    let tail = withEvents([], [event(1, "a"), event(2, "b")], 3);
    tail = withEvents(tail, [event(2, "b"), event(3, "c"), event(4, "d")], 3);
    expect(tail.map((each) => each.seq)).toEqual([4, 3, 2]);
  });
});

describe("frames", () => {
  test("arrive whole in whatever pieces the network cuts them", () => {
    const text =
      ':connected\n\nid: 7\nevent: started\ndata: {"seq":7}\n\n:keepalive\n\nevent: counters\ndata: {}\n\n';
    for (let size = 1; size < 12; size++) {
      const reader = new FrameReader();
      const frames = [];
      for (let at = 0; at < text.length; at += size) frames.push(...reader.push(text.slice(at, at + size)));
      expect(frames).toEqual([
        { id: "7", event: "started", data: '{"seq":7}' },
        { event: "counters", data: "{}" },
      ]);
    }
  });
});

describe("what is asked of the stream", () => {
  test("is no more than what the page shows", () => {
    expect(scopeQuery({ jobIds: ["x", "y"] })).toBe("counters=true&job_ids=x%2Cy");
    expect(scopeQuery({})).toContain("types=queue.paused");
    expect(scopeQuery({ all: true })).toBe("counters=true");
    // Names of queues may hold commas.
    expect(new URLSearchParams(scopeQuery({ all: true, queues: ["a,b"] })).get("queues")).toBe('["a,b"]');
  });
});
