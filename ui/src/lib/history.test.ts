import { describe, expect, test } from "vitest";
import type { LiveEvent } from "@/api/types";
import { attempts, progress, timeline } from "./history";

let seq = 0;
const T0 = Date.parse("2026-01-31T12:00:00Z");
const at = (type: string, seconds: number, data?: object): LiveEvent => ({
  seq: ++seq,
  type,
  at_ns: (T0 + seconds * 1000) * 1e6,
  job_id: "job_1",
  queue: "emails",
  ...(data ? { data } : {}),
});
const error = (attempt: number, seconds: number, text: string) => {
  const time = new Date(T0 + seconds * 1000).toISOString();
  return { id: attempt, job_id: "job_1", attempt, error: text, created_at: time, at: time };
};

describe("attempts", () => {
  const life = [
    at("enqueued", 0),
    at("started", 1, { attempt: 1, worker_id: "w-a" }),
    at("failed", 5, { attempt: 1, error: "timeout", next_attempt_at: new Date(T0 + 10_000).toISOString() }),
    at("promoted", 10),
    at("started", 11, { attempt: 2, worker_id: "w-b" }),
    at("reclaimed", 71, { attempt: 2 }),
    at("started", 80, { attempt: 3, worker_id: "w-a" }),
  ];

  test("are each time a worker had the job, with worker, time and outcome", () => {
    const found = attempts(life, { state: "active", errors: [error(1, 5, "timeout")] });
    expect(found.map((one) => [one.number, one.worker, one.outcome])).toEqual([
      [1, "w-a", "failed"],
      [2, "w-b", "lease lost"],
      [3, "w-a", "running"],
    ]);
    expect(found[0]!.endedMs! - found[0]!.startedMs!).toBe(4_000);
    expect(found[0]!.error?.error).toBe("timeout");
    expect(found[0]!.nextAtMs).toBe(T0 + 10_000);
    expect(found[2]!.endedMs).toBeUndefined();
  });

  test("a last failure that is followed by its end is one attempt, and dead", () => {
    const found = attempts(
      [
        at("started", 1, { attempt: 3, worker_id: "w" }),
        at("failed", 2, { attempt: 3 }),
        at("dead", 2, { error: "boom" }),
      ],
      { state: "dead", errors: [error(3, 2, "boom")] },
    );
    expect(found).toHaveLength(1);
    expect(found[0]!.outcome).toBe("dead");
    expect(found[0]!.error?.error).toBe("boom");
  });

  test("numbers begin anew after a retry by hand, and errors stay with their own attempt", () => {
    const found = attempts(
      [
        at("started", 1, { attempt: 1, worker_id: "w" }),
        at("dead", 2, { error: "first" }),
        at("retried", 10),
        at("started", 11, { attempt: 1, worker_id: "w" }),
        at("dead", 12, { error: "second" }),
      ],
      { state: "dead", errors: [error(1, 2, "first"), error(1, 12, "second")] },
    );
    expect(found.map((one) => one.error?.error)).toEqual(["first", "second"]);
  });

  test("errors whose events are no longer kept are still attempts", () => {
    const found = attempts([], { state: "dead", errors: [error(1, 2, "old"), error(2, 9, "older")] });
    expect(found.map((one) => [one.number, one.outcome, one.error?.error])).toEqual([
      [1, "failed", "old"],
      [2, "failed", "older"],
    ]);
  });
});

describe("the timeline", () => {
  test("puts progress reports in a row together and keeps the last", () => {
    const entries = timeline([
      at("started", 1, { attempt: 1, worker_id: "w" }),
      at("progress", 2, { current: 1, total: 4 }),
      at("progress", 3, { current: 2, total: 4 }),
      at("completed", 4),
    ]);
    expect(entries.map((entry) => entry.title)).toEqual(["Attempt 1 started", "Progress", "Completed"]);
    expect(entries[1]).toMatchObject({ count: 2, detail: "2 / 4" });
  });

  test("names what it does not know instead of hiding it", () => {
    expect(timeline([at("frobnicated", 1)])[0]!.title).toBe("frobnicated");
  });

  test("says how long each thing came after the one before", () => {
    const entries = timeline([at("enqueued", 0), at("started", 3, { attempt: 1 })]);
    expect(entries[1]!.afterMs).toBe(3_000);
  });
});

describe("progress", () => {
  test.each([
    [
      { current: 450, total: 1000, message: "Sending" },
      { percent: 45, text: "450 / 1000 · Sending" },
    ],
    [{ percent: 12.5 }, { percent: 12.5, text: "12.5%" }],
    [{ pct: 100 / 3 }, { percent: 100 / 3, text: "33.3%" }],
    [0.25, { percent: 25, text: "25%" }],
    [70, { percent: 70, text: "70%" }],
    [450, { percent: 100, text: "450" }],
    ["half way", { text: "half way" }],
    [{ rows: 3 }, { text: '{"rows":3}' }],
    [
      { current: 9, total: 3 },
      { percent: 100, text: "9 / 3" },
    ],
  ])("%j", (value, expected) => expect(progress(value)).toEqual(expected));
  test("is nothing when nothing was reported", () => expect(progress(undefined)).toBeNull());
});

describe("what people did", () => {
  test("names them, if they are known", () => {
    const found = timeline([
      at("held", 0, { reason: "look", by: "key:ann" }),
      at("approved", 1, { by: "key:bob" }),
      at("cancelled", 2),
      at("progress", 3, { by: "the job itself" }),
    ]);
    expect(found.slice(0, 3).map((entry) => entry.detail)).toEqual([
      "look · by key:ann",
      "by key:bob",
      undefined,
    ]);
    expect(found[3]!.detail).not.toContain("· by");
  });
});
