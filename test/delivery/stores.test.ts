/** Originals that are not on the web: in a store of the account's, and in the operator's bucket. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, expect, inject, it, vi } from "vitest";

import { saveAsset } from "../../src/account/assets.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { settingsOf } from "../../src/env.ts";
import { identify } from "../../src/image/detect.ts";
import { putInStore } from "../../src/storage/store.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { deliveryWorld, signed } from "../support/delivery.ts";
import { BLOB_ACCOUNT, IAM_KEY, S3_KEYS } from "../support/stores/accounts.ts";

const PLACES = [
  { provider: "aws", ...S3_KEYS, bucket: "pictures", region: "eu-central-1" },
  { provider: "alibaba", ...S3_KEYS, bucket: "pictures", region: "eu-central-1" },
  { provider: "azure", ...BLOB_ACCOUNT, container: "pictures" },
  { provider: "ibm", ...IAM_KEY, bucket: "pictures", region: "eu-de" },
];

beforeEach(() => forgetDeliveries());
afterEach(async () => {
  vi.restoreAllMocks();
  await env.DB.prepare("DELETE FROM delivery_finals").run();
});

const policy = { providerEndpoints: inject("storeEndpoints"), storeHosts: [], allowPrivateOrigins: true };

/** A delivery of a connector's store, with the same object at a path of it. */
async function storeWorld(store: (typeof PLACES)[number], path: string) {
  const connector = crypto.randomUUID().replaceAll("-", "").slice(0, 10);
  const sources = [{ kind: "store", name: "shop", connector, path: "originals" }];
  const world = await deliveryWorld({ sources, refine: false });
  Object.assign(world.world.env, { PROVIDER_ENDPOINTS: JSON.stringify(policy.providerEndpoints) });
  const shelf = { db: env.DB, vault: vaultOf(settingsOf(env).vaultKeys), accountId: world.account.id };
  await saveAsset(shelf, "connector", { id: connector, name: "c", details: {}, secret: store }, new Date());
  const encoded = { bytes: new Uint8Array(photo), mime: "image/jpeg", name: "a.jpg" };
  await putInStore({ ...store, path }, encoded, { policy, keyfile: undefined });
  return world;
}

it.each(PLACES)("reads private objects of $provider with signed requests", async (store) => {
  const name = `${crypto.randomUUID()} ü.jpg`;
  const { delivery, pair, ask } = await storeWorld(store, `originals/${name}`);
  const path = await signed(pair, "w=24", `shop/${encodeURIComponent(name)}`);
  const answer = await ask(`/i/${delivery.id}${path}`);
  expect([answer.status, answer.body]).toEqual([200, undefined]);
  expect(identify(answer.bytes).facts.width).toBe(24);
});

it("tells who looks at a page nothing of a store", async () => {
  const { delivery, pair, ask } = await storeWorld(PLACES[0] as (typeof PLACES)[number], "originals/b.jpg");
  const at = async (source: string) => ask(`/i/${delivery.id}${await signed(pair, "w=24", source)}`);
  const gone = await at("shop/nothing.jpg");
  expect([gone.status, gone.body.message]).toEqual([404, "The original does not exist"]);
  expect((await at("shop/../b.jpg")).status).toBe(403);
  await env.DB.prepare("DELETE FROM assets").run();
  const lost = await at("shop/c.jpg");
  expect([lost.status, lost.body.message]).toEqual([502, "The origin refused or failed"]);
});

it("reads the operator's bucket, below its folder alone", async () => {
  const sources = [{ kind: "bucket", name: "art", path: "public" }];
  const { delivery, pair, ask, world } = await deliveryWorld({ sources, refine: false });
  Object.assign(world.env, { ORIGINALS: env.BUCKET });
  await env.BUCKET.put("public/a.jpg", photo);
  await env.BUCKET.put("secret.jpg", photo);
  const at = async (source: string) => ask(`/i/${delivery.id}${await signed(pair, "w=24", source)}`);
  expect((await at("art/a.jpg")).status).toBe(200);
  expect((await at("art/secret.jpg")).status).toBe(404);
  for (const source of ["art/../secret.jpg", "art/..%2fsecret.jpg", "art/%2e%2e/secret.jpg"]) {
    expect((await at(source)).status).toBe(403);
  }
});
