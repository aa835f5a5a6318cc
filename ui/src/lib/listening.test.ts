import { expect, test } from "vitest";
import { isListening } from "./listening";

test.each([
  ["2026-11-17T09:00:00Z", true],
  ["2026-11-17T08:58:31Z", true],
  ["2026-11-17T08:58:30Z", false],
  ["", false],
])("a worker that was heard of at %s at nine: %s", (last_heartbeat, expected) =>
  expect(isListening({ last_heartbeat }, Date.parse("2026-11-17T09:00:00Z"))).toBe(expected),
);
