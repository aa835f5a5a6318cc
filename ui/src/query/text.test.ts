import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { complete, pathsOf } from "./complete";
import { parse } from "./parse";
import { queryText } from "./text";

const shared = JSON.parse(readFileSync("../docs/reference/query-examples.json", "utf8"));
const now = Date.parse(shared.now);

describe("a filter written as a query is read back as the same filter", () => {
  test.each(shared.examples as { query: string }[])("$query", ({ query }) => {
    const filter = parse(query, now);
    expect(parse(queryText(filter), now)).toEqual(filter);
  });
});

test("an `and` within a string does not part a condition", () => {
  const filter = parse('payload.a == "this and that" payload.b == 2', now);
  expect(parse(queryText(filter), now)).toEqual(filter);
});

describe("completion", () => {
  const known = {
    queues: ["emails", "emails.bulk", "two words"],
    workers: ["w-1"],
    tags: new Map([["tenant", new Set(["acme", "globex"])]]),
    paths: pathsOf([{ user: { plan: "pro" }, "odd key": 1 }]),
  };
  const labels = (text: string, caret = text.length) =>
    complete(text, caret, known).suggestions.map((s) => s.label);
  const accept = (text: string) => {
    const { from, suggestions } = complete(text, text.length, known);
    return text.slice(0, from) + suggestions[0]!.insert;
  };

  test("begins with the fields there are", () => {
    expect(labels("st")).toEqual(["state:"]);
    expect(labels("queue:emails pri")).toEqual(["priority:"]);
  });
  test("offers values that exist", () => {
    expect(labels("queue:em")).toEqual(["emails", "emails.bulk"]);
    expect(accept("state:dead,ca")).toBe("state:dead,cancelled");
    expect(accept("queue:two")).toBe('queue:"two words"');
    expect(labels("tag.")).toEqual(["tag.tenant"]);
    expect(accept("tag.tenant:gl")).toBe("tag.tenant:globex");
  });
  test("knows the paths of payloads that were seen", () => {
    expect(labels("payload.us")).toEqual(["payload.user", "payload.user.plan"]);
    expect(known.paths).toContain('payload["odd key"]');
  });
  test("does not take a space within quotes for the end of a term", () => {
    expect(complete('error~"timed ou', 15, known).suggestions).toEqual([]);
  });
});
