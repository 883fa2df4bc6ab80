/**
 * A million webhook jobs on a simulated platform, with the real moves and statements: bursts of 50,000, processes killed,
 * messages lost and doubled, origins that are slow, receivers that are down for a day. SQLite as it comes with Node runs
 * the same schema as D1. `JOBS` and `BURST` in the environment change how many there are.
 */
import type { DatabaseSync } from "node:sqlite";

import { databaseOverNode, openDatabase } from "../support/node-database.ts";
import type { Scenario } from "../support/webhook-simulation-ports.ts";
import { Simulation } from "../support/webhook-simulation.ts";

const JOBS = Number(process.env["JOBS"] ?? 1_000_000);
const BURST = Number(process.env["BURST"] ?? 50_000);

const SCENARIO: Scenario = {
  jobs: JOBS,
  burst: BURST,
  perSecond: 1_000,
  everyMs: 5_400_000,
  consumers: 100,
  isolates: 50,
  lost: 0.001,
  doubled: 0.005,
  killed: 0.002,
  poison: 0.000_05,
  slow: 0.01,
  heavy: 0.005,
  down: 3,
  retrySeconds: [5, 60, 600, 3_600],
};

function count(database: DatabaseSync, sql: string): number {
  return Number(database.prepare(sql).get()?.["count"]);
}

export async function main(): Promise<void> {
  const database = await openDatabase();
  // No statement fails here, and copies of what is about to change cost more than the change. All of it is one transaction:
  // the end of one takes SQLite longer, the more there is in memory, and with a million records ten times the statement's time.
  database.exec("PRAGMA journal_mode = OFF; BEGIN");
  const simulation = new Simulation(SCENARIO, (told) => databaseOverNode(database, told));
  const startedAt = performance.now();
  await simulation.run();
  const seconds = ((performance.now() - startedAt) / 1_000).toFixed(0);
  console.log(`${JSON.stringify(SCENARIO)}\ncomputed in ${seconds} s`);
  const unfinished = "SELECT COUNT(*) AS count FROM webhooks WHERE wake_at IS NOT NULL OR payload IS NULL";
  const rows = [
    ...simulation.tally.rows(),
    ["records that are not finished", count(database, unfinished).toString()],
    ["jobs left behind", count(database, "SELECT COUNT(*) AS count FROM webhooks WHERE job IS NOT NULL").toString()],
  ];
  const bodies = () => count(database, "SELECT EXISTS (SELECT 1 FROM webhooks WHERE payload IS NOT NULL) AS count");
  rows.push(["sweeps until bodies are dropped", String(await simulation.sweepAfter(8, bodies))]);
  const records = () => count(database, "SELECT EXISTS (SELECT 1 FROM webhooks) AS count");
  rows.push(["sweeps until records are deleted", String(await simulation.sweepAfter(53, records))]);
  for (const [name, value] of rows) console.log(`| ${(name ?? "").padEnd(40)} | ${value} |`);
  database.close();
}
