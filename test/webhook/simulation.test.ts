/** Thousands of jobs on a simulated platform on which everything fails now and then: nothing is lost, little done twice. */
import { runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { databaseOver } from "../support/embedded-storage.ts";
import { Simulation } from "../support/webhook-simulation.ts";

const JOBS = 3_000;

/** Ten times the mishaps of the bench, and few consumers: a line that outlasts the time after which messages come again. */
const SCENARIO = {
  jobs: JOBS,
  burst: JOBS / 2,
  perSecond: 500,
  everyMs: 3_600_000,
  consumers: 4,
  isolates: 4,
  lost: 0.01,
  doubled: 0.05,
  killed: 0.02,
  poison: 0.001,
  slow: 0.01,
  heavy: 0.005,
  down: 3,
  retrySeconds: [5, 60, 600, 3_600],
};

it("ends every job, none at the same time as another try of it, and harms no innocent one", async () => {
  await runInDurableObject(env.COURIER.getByName("simulation"), async (_, { storage }) => {
    const database = databaseOver(storage);
    for (const sql of env.TEST_MIGRATIONS.flatMap(({ queries }) => queries)) await database.exec(sql);
    const simulation = new Simulation(SCENARIO, (told) => databaseOver(storage, told));
    await simulation.run();
    const { tally } = simulation;
    expect([tally.accepted, tally.finished]).toEqual([JOBS, JOBS]);
    expect({ together: tally.together, notAlone: tally.notAlone, innocent: tally.innocent }).toEqual({
      together: 0,
      notAlone: 0,
      innocent: 0,
    });
    expect(tally.delivered + tally.failed).toBe(JOBS);
    expect(tally.deliveredAgain).toBeLessThan(tally.kills);
    // Messages that were lost, and a few of those that stood in the line for long.
    expect(tally.handedOut).toBeLessThan(JOBS);
    const left = () => Number(storage.sql.exec("SELECT COUNT(*) AS count FROM webhooks").one()["count"]);
    expect(await simulation.sweepAfter(61, left)).toBe(1);
    expect(storage.sql.exec("SELECT COUNT(*) AS count FROM webhooks WHERE job IS NOT NULL").one()["count"]).toBe(0);
    storage.sql.exec("DELETE FROM webhooks");
  });
});
