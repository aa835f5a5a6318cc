// What the programs in JavaScript share: the same as common.py.

import { openSync, statSync, writeSync } from "node:fs";
import { parseArgs } from "node:util";

export const queue = process.env.PEER_QUEUE;
export const server = process.env.PEER_SERVER;
const FILLING = "x".repeat(60);
const RECORD_BYTES = 24;

const nowUs = () => Number(process.hrtime.bigint() / 1000n);
const record = (n, us) => `${String(n).padStart(11)} ${String(us).padStart(11)}\n`;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sizeOf = (path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;

let doneFile;
/** What every handler does. */
export function done(job) {
  doneFile ??= openSync(process.env.PEER_DONE, "a");
  writeSync(doneFile, record(job.n, nowUs() - job.t));
}

/** Send jobs until the time is up. `send` resolves when the server has acknowledged them. */
export async function produce(send, { bulk }) {
  const { values } = parseArgs({
    options: Object.fromEntries(
      ["first", "count", "seconds", "rate", "ahead", "accepted"].map((name) => [name, { type: "string" }]),
    ),
  });
  const [first, count, rate, ahead] = ["first", "count", "rate", "ahead"].map((name) => Number(values[name] ?? 0));
  const seconds = Number(values.seconds ?? 3600);
  const accepted = openSync(values.accepted, "a");
  const began = performance.now();
  const end = began + seconds * 1000;
  const size = rate ? 1 : bulk;
  const last = first + (count || 1e9);
  for (let at = first; at < last; at += size) {
    if (rate) await sleep(Math.max(0, began + ((at - first) / rate) * 1000 - performance.now()));
    while (ahead && performance.now() < end) {
      if ((sizeOf(values.accepted) - sizeOf(process.env.PEER_DONE)) / RECORD_BYTES <= ahead) break;
      await sleep(5);
    }
    if (performance.now() >= end) return;
    const jobs = [];
    for (let n = at; n < Math.min(at + size, last); n++) jobs.push({ n, t: nowUs(), x: FILLING });
    await send(jobs);
    writeSync(accepted, jobs.map((job) => record(job.n, nowUs() - job.t)).join(""));
  }
}
