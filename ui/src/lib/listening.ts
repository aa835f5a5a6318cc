import type { Worker } from "@/api/types";
import { number } from "./format";
import { ms } from "./time";

/** Not heard of for so long, it takes no job: the server says "no worker listens" by the same time. */
const LISTENING_MS = 90_000;

/** Active for jobs that wait, not only for the server, which calls a worker so for minutes after its last word. */
export const statusOf = (worker: Pick<Worker, "last_heartbeat" | "status">, nowMs: number): string =>
  worker.status === "active" && !isListening(worker, nowMs) ? "late" : worker.status;

/** How many are late, for a sentence that told how many are active. */
export const lateOnes = (workers: Pick<Worker, "last_heartbeat" | "status">[], nowMs: number): string => {
  const late = workers.filter((worker) => statusOf(worker, nowMs) === "late").length;
  return late ? `, ${number(late)} late` : "";
};

export const isListening = (worker: Pick<Worker, "last_heartbeat">, nowMs: number): boolean =>
  nowMs - (ms(worker.last_heartbeat) ?? 0) < LISTENING_MS;
