/** Requests that are counted before it is sure whose key they carry: what the database says decides, and nothing stays reserved. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { isolateBlocks } from "../../src/account/blocks.ts";
import { forgetKeys } from "../../src/account/keys.ts";
import { onPlatform, type Platform } from "../platform/platform.ts";
import { type Site, site, web } from "../platform/site.ts";

const BYTES = { resize: { width: 24 }, response: { mode: "binary", keep: false } };

/** Another isolate of the same place, once this one has told it all it knows. */
async function inAnother(platform: Platform): Promise<void> {
  await platform.settle();
  await isolateBlocks.tellAll();
  await platform.settle();
  forgetKeys();
}

/** A site whose key the place knows and the isolate does not. The picture before costs a credit, and nothing else does. */
function known(use: (one: Site, platform: Platform) => Promise<void>): Promise<void> {
  return onPlatform({ web }, async (platform) => {
    const one = await site(platform);
    expect((await one.upload(BYTES)).status).toBe(200);
    await inAnother(platform);
    await use(one, platform);
    await inAnother(platform);
    // One credit more is there to be reserved.
    const { account } = one;
    const ask = { key: "another", limit: 1_000, account: account.id, creditsTotal: 2 };
    expect((await env.METER.getByName(`account:${account.id}`).take(ask)).lease).toBeDefined();
  });
}

it("a key that was deleted meanwhile opens nothing", () =>
  known(async ({ upload, keyId }) => {
    await env.DB.prepare("DELETE FROM keys WHERE id = ?").bind(keyId).run();
    expect((await upload(BYTES)).status).toBe(401);
  }));

it("an account that was suspended meanwhile is refused", () =>
  known(async ({ upload, account }) => {
    await env.DB.prepare("UPDATE accounts SET status = 'suspended' WHERE id = ?").bind(account.id).run();
    expect((await upload(BYTES)).status).toBe(403);
  }));

it("credits that were taken away meanwhile are not there", () =>
  known(async ({ upload, account }) => {
    await env.DB.prepare("UPDATE accounts SET credits_total = 1 WHERE id = ?").bind(account.id).run();
    expect((await upload(BYTES)).status).toBe(402);
  }));
