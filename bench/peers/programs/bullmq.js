// BullMQ on Redis.

import { Queue, Worker } from "bullmq";
import { Redis } from "ioredis";
import { done, produce, queue, server } from "./common.js";

const connection = new Redis(server, { maxRetriesPerRequest: null });

if (process.argv[2] === "work") {
  new Worker(queue, async (job) => done(job.data), { connection, concurrency: 8 });
} else {
  const jobs = new Queue(queue, { connection, defaultJobOptions: { removeOnComplete: true } });
  await produce((rows) => jobs.addBulk(rows.map((data) => ({ name: "handle", data }))), { bulk: 50 });
  process.exit(0);
}
