import type { Worker } from "@/api/types";
import { ms } from "./time";

/** Not heard of for so long, it takes no job: the server says "no worker listens" by the same time. */
const LISTENING_MS = 90_000;

export const isListening = (worker: Pick<Worker, "last_heartbeat">, nowMs: number): boolean =>
  nowMs - (ms(worker.last_heartbeat) ?? 0) < LISTENING_MS;
