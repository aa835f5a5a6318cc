// pg-boss on PostgreSQL.

import PgBoss from "pg-boss";
import { done, produce, queue, server } from "./common.js";

const boss = new PgBoss({ connectionString: server, schedule: false, max: 8 });
boss.on("error", () => {});
await boss.start();

if (process.argv[2] === "schema") {
  await boss.createQueue(queue);
  process.exit(0);
} else if (process.argv[2] === "work") {
  // It looks every half second at the most, so what it does at once decides.
  for (let number = 0; number < 8; number++) {
    await boss.work(queue, { batchSize: 500, pollingIntervalSeconds: 0.5 }, async (jobs) => {
      for (const job of jobs) done(job.data);
    });
  }
} else {
  await produce((rows) => boss.insert(rows.map((data) => ({ name: queue, data }))), { bulk: 50 });
  process.exit(0);
}
