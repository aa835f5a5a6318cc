import { expect, test } from "vitest";
import { slowSync } from "./disk";

test.each([
  [undefined, null],
  [{ count: 0 }, null],
  [{ count: 900, p50: "0.5ms", p99: "50ms" }, null],
  [{ count: 900, p50: "20ms", p99: "100ms" }, "100ms"],
  [{ count: 900, p50: "1000ms", p99: "5000ms" }, "5000ms"],
])("%j", (given, expected) => expect(slowSync(given)).toBe(expected));
