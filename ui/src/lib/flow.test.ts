import { expect, test } from "vitest";
import { rolling } from "./flow";

test.each([
  ["has just begun", [60, 90, 0], 0, [60, 90, 90]],
  ["is half over", [60, 90, 45], 30_000, [60, 90, 90]],
  ["is over", [60, 90, 12], 60_000, [60, 90, 12]],
  ["is yet to come, by a clock that is slow", [60, 90, 5], -200_000, [60, 90, 95]],
])("the minute under way %s", (_, counts, afterMs, expected) =>
  expect(rolling(counts, 1_000_000, 1_000_000 + afterMs)).toEqual(expected),
);

test("a single minute is what it is", () => expect(rolling([7], 0, 0)).toEqual([7]));
