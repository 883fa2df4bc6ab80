/** Accepted jobs start at once while there is room. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { MAX_DIRECT_RUNS } from "../../src/limits.ts";
import type { Result } from "../../src/street/process.ts";
import { acceptWork } from "../../src/street/work.ts";
import { shortStreet } from "../support/street.ts";
import { untilStatus, receiver } from "../support/webhooks.ts";

it("starts jobs where they are accepted while there is room, and sends the others through the queue", async () => {
  const release = Promise.withResolvers<void>();
  const walked: string[] = [];
  const street = {
    ...shortStreet,
    process: async (...given: Parameters<typeof shortStreet.process>): Promise<Result> => {
      walked.push(given[0].id);
      await release.promise;
      return shortStreet.process(...given);
    },
  };
  const queued: unknown[] = [];
  const queue = { send: async (message: unknown) => void queued.push(message) };
  const deferred: Promise<unknown>[] = [];
  const { url } = receiver();
  const accept = async (): Promise<string> => {
    const id = crypto.randomUUID();
    const job = {
      source: { kind: "fetch", url: "https://images.test/a.png", headers: {} },
      processing: {},
      baseUrl: "https://darkroom.test",
    } as const;
    const acceptance = { id, accountId: "account", database: "DB", url, delaySeconds: 0, job, upload: undefined };
    await acceptWork({ ...env, QUEUE: queue as unknown as Queue }, street, (work) => deferred.push(work), acceptance);
    return id;
  };
  const ids: string[] = [];
  for (let job = 0; job < MAX_DIRECT_RUNS + 2; job += 1) ids.push(await accept());
  expect(queued).toEqual(ids.slice(MAX_DIRECT_RUNS).map((id) => ({ kind: "run", id, database: "DB" })));
  release.resolve();
  for (const id of ids.slice(0, MAX_DIRECT_RUNS)) await untilStatus(id, "delivered");
  while (deferred.length > 0) await deferred.pop();
  expect(walked.toSorted()).toEqual(ids.slice(0, MAX_DIRECT_RUNS).toSorted());
  ids.push(await accept());
  expect(queued).toHaveLength(2);
  while (deferred.length > 0) await deferred.pop();
});
