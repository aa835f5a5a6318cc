import { expect, test } from "vitest";
import { isListening, lateOnes, statusOf } from "./listening";

test.each([
  ["2026-11-17T09:00:00Z", true],
  ["2026-11-17T08:58:31Z", true],
  ["2026-11-17T08:58:30Z", false],
  ["", false],
])("a worker that was heard of at %s at nine: %s", (last_heartbeat, expected) =>
  expect(isListening({ last_heartbeat }, Date.parse("2026-11-17T09:00:00Z"))).toBe(expected),
);

test("a worker that the server still calls active is late as soon as jobs wait for it in vain", () => {
  const at = (last_heartbeat: string, status: string) => ({ last_heartbeat, status });
  const workers = [
    at("2026-11-17T09:00:00Z", "active"),
    at("2026-11-17T08:58:00Z", "active"),
    at("2026-11-17T08:00:00Z", "silent"),
  ];
  const now = Date.parse("2026-11-17T09:00:00Z");
  expect(workers.map((worker) => statusOf(worker, now))).toEqual(["active", "late", "silent"]);
  expect(lateOnes(workers, now)).toBe(", 1 late");
  expect(lateOnes(workers.slice(0, 1), now)).toBe("");
});
