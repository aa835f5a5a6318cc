import { expect, test } from "vitest";
import { forecast } from "./forecast";

const queue = (pending: number, enqueued: number, completed: number, paused = false) => ({
  pending,
  paused,
  rates: { minute: { enqueued, completed, failed: 0 }, hour: { enqueued: 0, completed: 0, failed: 0 } },
});

test.each([
  [queue(0, 5, 5), null],
  [queue(600, 10, 70), { text: "empty in 10m", tone: "good" }],
  [queue(600, 70, 10), { text: "growing by 60/min", tone: "warn" }],
  [queue(600, 50, 51), { text: "steady", tone: "plain" }],
  [queue(600, 50, 0), { text: "nobody works on it", tone: "warn" }],
  [queue(600, 0, 50, true), { text: "paused", tone: "warn" }],
])("%j", (given, expected) => expect(forecast(given)).toEqual(expected));
