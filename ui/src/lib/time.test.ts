import { describe, expect, test } from "vitest";
import { number, rate, short } from "./format";
import { brief, ExactNumber, parseExact, tokens } from "./json";
import { dayOf, duration, period, relative } from "./time";
import { troubleIn } from "./trouble";

describe("durations", () => {
  test.each([
    [0, "0ms"],
    [120, "120ms"],
    [4_250, "4.2s"],
    [59_000, "59s"],
    [65_000, "1m 5s"],
    [3_600_000, "1h"],
    [90_061_000, "1d 1h"],
  ])("%d ms", (ms, text) => expect(duration(ms)).toBe(text));
});

test("times are told from now", () => {
  expect(relative(1_000_000, 1_000_000 + 190_000)).toBe("3m 10s ago");
  expect(relative(1_000_000 + 7_200_000, 1_000_000)).toBe("in 2h");
  expect(relative(1_000_000, 1_000_400)).toBe("now");
  expect(relative(1_000_000, 1_003_700)).toBe("3s ago");
});

test("a day of the week is that of the place where the time is told", () => {
  const now = Date.parse("2026-11-16T12:00:00Z");
  expect(dayOf("2026-11-17T00:30:00+01:00", now)).toBe("Tue");
  expect(dayOf("2026-11-16T23:30:00-08:00", now)).toBe("Mon");
  expect(dayOf("2026-12-01T06:00:00Z", now)).toBe("1 Dec");
  expect(dayOf("2028-01-01T06:00:00Z", now)).toBe("1 Jan 2028");
});

test("figures fit where they stand", () => {
  expect(number(1_234_567)).toBe("1,234,567");
  expect([short(9_999), short(12_400), short(1_250_000)]).toEqual(["9,999", "12.4k", "1.3M"]);
  expect([rate(0), rate(2.5), rate(124), rate(60_000)]).toEqual(["0/min", "2.5/min", "124/min", "1,000/s"]);
});

describe("JSON", () => {
  test("numbers that a browser cannot hold keep their digits, where the browser lets us", () => {
    const found = parseExact('{"id": 12345678901234567890, "n": 7}') as { id: unknown; n: number };
    expect(found.n).toBe(7);
    if (found.id instanceof ExactNumber) expect(found.id.source).toBe("12345678901234567890");
  });
  test.each([
    ['{\n  "a": ,\n}', 2, 8, "a value is expected"],
    ['{"a": 1', 1, 8, "a comma or } is expected"],
    ['{"a" 1}', 1, 6, "a colon is expected"],
    ["{a: 1}", 1, 2, "a name in double quotes is expected"],
    ['{"a": "x', 1, 7, "this string has no end, or a character that must be escaped"],
    ["[1, 2] 3", 1, 8, "nothing may follow"],
    ["[1,]", 1, 4, "a value is expected"],
    ["", 1, 1, "a value is missing"],
  ])("trouble is named with its place: %j", (text, line, column, message) =>
    expect(troubleIn(text)).toEqual({ line, column, message }),
  );
  test("there is no trouble in what is right", () => {
    for (const text of ['{"a": [1, -2.5e3, true, null, "\u00e9"]}', "0", '""'])
      expect(troubleIn(text)).toBeNull();
  });
  test("is cut for colouring without losing a character, even half-written", () => {
    for (const text of ['{"a": [1, true, "x"]}', '{"a": "unfinished', "", "[1,2"])
      expect(
        tokens(text)
          .map((token) => token.text)
          .join(""),
      ).toBe(text);
    expect(tokens('{"a": "b"}').map((token) => token.kind)).toContain("key");
  });
  test("is brief in a table", () => {
    expect(brief({ to: "ann", n: 1 })).toBe('{to: "ann", n: 1}');
    expect(brief("x".repeat(500)).length).toBe(120);
  });
});

test("what was chosen is told without a measured second's tenth", () => {
  expect([period(1_000), period(1_500), period(60_000)]).toEqual(["1s", "1.5s", "1m"]);
});
