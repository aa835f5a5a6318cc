import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse, QueryRefused } from "./parse";

// The same file that the CLI's parser is tested against.
const shared = JSON.parse(readFileSync("../docs/reference/query-examples.json", "utf8"));
const now = Date.parse(shared.now);

describe("queries that are read", () => {
  test.each(shared.examples as { query: string; filter: object }[])("$query", ({ query, filter }) => {
    expect(parse(query, now)).toEqual(filter);
  });
});

describe("queries that are refused, at the character where it is noticed", () => {
  test.each(shared.refused as { query: string; at: number; problem: string }[])(
    "$query",
    ({ query, at, problem }) => {
      let refusal: unknown;
      try {
        parse(query, now);
      } catch (error) {
        refusal = error;
      }
      expect(refusal).toBeInstanceOf(QueryRefused);
      expect((refusal as QueryRefused).at).toBe(at);
      expect((refusal as QueryRefused).problem).toBe(problem);
    },
  );
});
