import { expect, test } from "vitest";
import { forecast } from "./forecast";

const queue = (pending: number, enqueued: number, completed: number, more = {}) => ({
  pending,
  blocked: 0,
  active: 0,
  paused: false,
  ...rates(enqueued, completed, 0),
  ...more,
});
const rates = (enqueued: number, completed: number, failed: number) => ({
  rates: { minute: { enqueued, completed, failed }, hour: { enqueued: 0, completed: 0, failed: 0 } },
});

test.each([
  [queue(0, 5, 5), null],
  [queue(600, 10, 70), { text: "empty in 10m", tone: "good" }],
  [queue(600, 70, 10), { text: "growing by 60/min", tone: "warn" }],
  [queue(600, 50, 51), { text: "steady", tone: "plain" }],
  [queue(600, 50, 0), { text: "nobody works on it", tone: "warn" }],
  [queue(600, 0, 50, { paused: true }), { text: "paused", tone: "warn" }],
  [queue(600, 50, 0, { active: 3 }), { text: "3 at work", tone: "plain" }],
  [queue(600, 50, 0, rates(50, 0, 9)), { text: "attempts only fail", tone: "warn" }],
  [queue(600, 50, 0, { blocked: 600 }), { text: "all wait for other jobs", tone: "plain" }],
])("%j", (given, expected) => expect(forecast(given)).toEqual(expected));
