/** The service on one machine, stopped and started again: what was accepted is delivered. */
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";

import { DEMO_KEY, type LocalService, startLocal } from "../../src/cli/local.ts";

let state: string;
beforeAll(async () => {
  state = await mkdtemp(join(tmpdir(), "restart-"));
});
afterAll(async () => {
  await rm(state, { recursive: true, force: true });
});

/** Does some work while the service runs, and stops it. */
async function during<T>(variables: Record<string, string>, work: (service: LocalService) => Promise<T>): Promise<T> {
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
  try {
    return await work(service);
  } finally {
    await service.stop();
  }
}

/** Milliseconds. */
const PATIENCE = { timeout: 60_000, interval: 100 };

/** One black pixel. */
const PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==";

describe("a job that was accepted before a restart", () => {
  // Cut off at work, the job would be begun anew only once whoever had it could have ended it: three minutes later.
  it("is delivered after it", { timeout: 300_000 }, async () => {
    const { promise: notified, resolve } = Promise.withResolvers<string>();
    const receiver = createServer((request, response) => {
      response.end();
      resolve(String(request.headers["webhook-id"]));
    });
    await new Promise<void>((listening) => receiver.listen(0, "127.0.0.1", listening));
    const { port } = receiver.address() as AddressInfo;
    const variables = { ALLOW_PRIVATE_ORIGINS: "true", VAULT_KEY: Buffer.alloc(32, 1).toString("base64") };
    const accepted = await during(variables, async ({ url }) => {
      const body = new FormData();
      body.set("file", new Blob([Buffer.from(PNG, "base64")]), "pixel.png");
      body.set("data", JSON.stringify({ webhook: { url: `http://127.0.0.1:${port}/`, delay: 8 } }));
      const headers = { authorization: `Bearer ${DEMO_KEY}` };
      const answer = await fetch(new URL("/1.0/upload", url).href, { method: "POST", headers, body });
      const { id } = (await answer.json()) as { id: string };
      await vi.waitUntil(async () => {
        const found = await fetch(new URL(`/1.0/webhooks/${id}`, url).href, { headers });
        const { webhook } = (await found.json()) as { webhook: { status: string } };
        return webhook.status === "scheduled";
      }, PATIENCE);
      return id;
    });
    expect(await during(variables, () => notified)).toBe(accepted);
    receiver.close();
  });
});
