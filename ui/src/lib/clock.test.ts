import { expect, test } from "vitest";
import { serverTime, setClock } from "./clock";

test("a clock that is minutes off is put right, one that is a second off is left alone", () => {
  const local = Date.parse("2026-01-31T12:00:00Z");
  setClock("Sat, 31 Jan 2026 11:50:00 GMT", local);
  expect(serverTime(local)).toBe(local - 600_000);
  // Trembling is not told.
  setClock("Sat, 31 Jan 2026 11:50:02 GMT", local);
  expect(serverTime(local)).toBe(local - 600_000);
  setClock(null, local);
  setClock("nonsense", local);
  expect(serverTime(local)).toBe(local - 600_000);
  setClock("Sat, 31 Jan 2026 11:59:59 GMT", local);
  expect(serverTime(local)).toBe(local);
});
