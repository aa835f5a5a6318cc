// The stream against a real server: what it asks for, and when it lets go.
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Batch, LiveStream } from "./stream";

/** As much of a page as the stream looks at. */
class FakePage extends EventTarget {
  visibilityState: DocumentVisibilityState = "visible";

  turn(state: DocumentVisibilityState): void {
    this.visibilityState = state;
    this.dispatchEvent(new Event("visibilitychange"));
  }
}

let server: Server;
let page: FakePage;
let stream: LiveStream;
const asked: URL[] = [];
const open = new Set<ServerResponse>();

beforeEach(async () => {
  server = createServer((request, reply) => {
    const url = new URL(request.url ?? "", "http://node");
    asked.push(url);
    open.add(reply);
    reply.on("close", () => open.delete(reply));
    reply.writeHead(200, { "Content-Type": "text/event-stream" });
    reply.write(":connected\n\n");
    // Whoever does not say where it was is told where it begins.
    if (!url.searchParams.has("last_event_id")) reply.write("id: 40\n\n");
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const realFetch = fetch;
  page = new FakePage();
  vi.stubGlobal("document", page);
  vi.stubGlobal("addEventListener", page.addEventListener.bind(page));
  vi.stubGlobal("removeEventListener", page.removeEventListener.bind(page));
  vi.stubGlobal("fetch", (path: string, options: RequestInit) => realFetch(origin + path, options));
  stream = new LiveStream();
});

afterEach(async () => {
  stream.stop();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  vi.unstubAllGlobals();
  asked.length = 0;
  open.clear();
});

const say = (seq: number) => {
  const event = { seq, type: "started", at_ns: seq, job_id: "x" };
  for (const reply of open) reply.write(`id: ${seq}\nevent: started\ndata: ${JSON.stringify(event)}\n\n`);
};

test("a hidden page lets go of its connection, and goes on where it was when it is seen again", async () => {
  const batches: Batch[] = [];
  stream.onBatch((batch) => batches.push(batch));
  stream.start();
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  say(41);
  await vi.waitFor(() =>
    expect(batches.flatMap((batch) => batch.events).map((each) => each.seq)).toEqual([41]),
  );

  page.turn("hidden");
  expect(stream.status).toBe("resting");
  await vi.waitFor(() => expect(open.size).toBe(0));

  page.turn("visible");
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  expect(asked.map((url) => url.searchParams.get("last_event_id"))).toEqual([null, "41"]);
  // Counters that changed meanwhile were told to nobody.
  await vi.waitFor(() => expect(batches.at(-1)?.gap).toBe(true));
});

test("a tail that is hidden before its first event goes on from where it began", async () => {
  stream.setScope({ all: true });
  stream.start();
  await vi.waitFor(() => expect(stream).toMatchObject({ lastSeq: 40 }));
  page.turn("hidden");
  page.turn("visible");
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  expect(asked.map((url) => url.searchParams.get("last_event_id"))).toEqual([null, "40"]);
});

test("what another scope still had to say is not said to this one", async () => {
  const batches: Batch[] = [];
  stream.onBatch((batch) => batches.push(batch));
  stream.setScope({ all: true });
  stream.start();
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  say(41);
  await vi.waitFor(() => expect(stream).toMatchObject({ lastSeq: 41 }));
  stream.setScope({ all: true, after: 7 });
  await vi.waitFor(() => expect(asked.at(-1)?.searchParams.get("last_event_id")).toBe("7"));
  say(8);
  await vi.waitFor(() => expect(batches.flatMap((batch) => batch.events).length).toBeGreaterThan(0));
  expect(batches.flatMap((batch) => batch.events).map((each) => each.seq)).toEqual([8]);
});

test("events that the server no longer has are counted", async () => {
  const batches: Batch[] = [];
  stream.onBatch((batch) => batches.push(batch));
  stream.setScope({ all: true, after: 1 });
  stream.start();
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  for (const reply of open) reply.write('event: gap\ndata: {"type":"gap","data":{"from":2,"to":31}}\n\n');
  await vi.waitFor(() => expect(batches.at(-1)).toMatchObject({ gap: true, lost: 30 }));
});

test("a page that is born hidden asks for nothing until it is seen", async () => {
  page.visibilityState = "hidden";
  stream.start();
  stream.setScope({ jobIds: ["x"] });
  expect(stream.status).toBe("resting");
  expect(asked).toEqual([]);

  page.turn("visible");
  await vi.waitFor(() => expect(stream.status).toBe("open"));
  expect(asked.map((url) => url.searchParams.get("job_ids"))).toEqual(["x"]);
});
