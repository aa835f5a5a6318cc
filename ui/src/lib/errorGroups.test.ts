import { describe, expect, test } from "vitest";
import type { JobRow } from "@/api/types";
import { fragmentOf, group, histogram, normalise } from "./errorGroups";

describe("messages that differ only in what is different each time are one", () => {
  test.each([
    ["timeout after 30s connecting to 10.0.0.7:25", "timeout after 5s connecting to 10.0.0.9:2525"],
    ["user 4711 not found", "user 12 not found"],
    [
      "no such row: 1f8b2c3d-0000-4a4a-8b8b-123456789abc",
      "no such row: aaaabbbb-1111-4c4c-9d9d-abcdefabcdef",
    ],
    ["mail to ann@example.com bounced", "mail to bob@example.org bounced"],
    ["GET https://api.example.com/v1/a?x=1 answered 502", "GET https://api.example.com/v1/b answered 503"],
    ["KeyError: 'plan'", "KeyError: 'name'"],
    ["object at 0x7f3a10 is gone", "object at 0x9911 is gone"],
    ["job_01HX7Y2K3MN4 failed", "job_01HX8Z2K3MN5 failed"],
  ])("%s", (one, other) => expect(normalise(one)).toBe(normalise(other)));

  test("other words stay apart", () => {
    expect(normalise("connection refused")).not.toBe(normalise("connection reset"));
    expect(normalise("utf8 is not latin1")).toBe("utf8 is not latin1");
  });

  test("a failure without a message has a name", () => expect(normalise("")).toBe("(no message)"));
});

test("the piece to search for is the longest that all have in common", () => {
  expect(fragmentOf(normalise("SMTP 421: timeout after 30s"))).toBe("timeout after");
});

describe("groups", () => {
  const row = (id: number, state: JobRow["state"], error: string, queue = "emails"): JobRow => ({
    id: `job_${id}`,
    queue,
    state,
    payload: {},
    priority: 2,
    attempt: 3,
    max_retries: 3,
    created_at: "2026-01-31T12:00:00Z",
    failed_at: `2026-01-31T12:0${id}:00Z`,
    last_error: error,
  });

  test("are counted, most first, with their queues and their time", () => {
    const groups = group([
      row(1, "dead", "user 1 not found"),
      row(2, "retrying", "user 2 not found", "reports"),
      row(3, "dead", "disk full"),
    ]);
    expect(groups.map((each) => [each.pattern, each.jobs.length, each.dead, each.retrying])).toEqual([
      ["user … not found", 2, 1, 1],
      ["disk full", 1, 1, 0],
    ]);
    expect([...groups[0]!.queues]).toEqual([
      ["emails", 1],
      ["reports", 1],
    ]);
    expect(groups[0]!.lastMs - groups[0]!.firstMs).toBe(60_000);
    expect(histogram(groups[0]!, groups[0]!.firstMs, groups[0]!.lastMs, 2)).toEqual([1, 1]);
  });
});
