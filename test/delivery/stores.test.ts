/** Originals that are not on the web: in a store of the account's, and in the operator's bucket. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, inject, it, vi } from "vitest";

import { changeAccount } from "../../src/account/accounts.ts";
import { saveAsset } from "../../src/account/assets.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { settingsOf } from "../../src/env.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { putInStore } from "../../src/storage/store.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
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
  const { delivery, pair, ask, world, account } = await deliveryWorld({ sources, refine: false });
  Object.assign(world.env, { ORIGINALS: env.BUCKET });
  await changeAccount(env.DB, account.id, { originals: "public/" });
  await env.BUCKET.put("public/a.jpg", photo);
  await env.BUCKET.put("secret.jpg", photo);
  const at = async (source: string) => ask(`/i/${delivery.id}${await signed(pair, "w=24", source)}`);
  expect((await at("art/a.jpg")).status).toBe(200);
  expect((await at("art/secret.jpg")).status).toBe(404);
  for (const source of ["art/../secret.jpg", "art/..%2fsecret.jpg", "art/%2e%2e/secret.jpg"]) {
    expect((await at(source)).status).toBe(403);
  }
});

describe("the operator's bucket", () => {
  const sources = [{ kind: "bucket", name: "art", path: "shop/public" }];
  const grant = (id: string, originals: unknown) =>
    api("PATCH", `/admin/accounts/${id}`, { headers: ADMIN, json: { originals } });

  it("is closed to every account until the operator grants it a folder, and again afterward", async () => {
    const { delivery, pair, ask, world, account } = await deliveryWorld({ sources, refine: false });
    Object.assign(world.env, { ORIGINALS: env.BUCKET });
    await env.BUCKET.put("shop/public/a.jpg", photo);
    await env.BUCKET.put("shop/public/b.jpg", photo);
    const at = async (name: string) =>
      (await ask(`/i/${delivery.id}${await signed(pair, "w=24", `art/${name}`)}`)).status;
    expect(await at("a.jpg")).toBe(403);
    for (const [originals, status] of [
      ["shop/", 200],
      ["other/", 403],
      ["shop/public/", 200],
      ["shop/pub/", 403],
      ["/", 200],
      [null, 403],
    ] as const) {
      const { body } = await grant(account.id, originals);
      expect(body.account.originals).toBe(originals);
      forgetDeliveries();
      expect([originals, await at("a.jpg")]).toEqual([originals, status]);
    }
  });

  it("keeps finals of the queue from an account whose folder was taken away", async () => {
    const { delivery, pair, ask, world, account, runFinals, credits, settle } = await deliveryWorld({ sources });
    Object.assign(world.env, { ORIGINALS: env.BUCKET });
    await env.BUCKET.put("shop/public/a.jpg", photo);
    await grant(account.id, "shop/");
    expect((await ask(`/i/${delivery.id}${await signed(pair, "w=24", "art/a.jpg")}`)).status).toBe(200);
    await settle();
    await grant(account.id, null);
    await runFinals();
    expect(await credits()).toBe(0);
  });

  it("is a source only below the folder that is granted", async () => {
    const { key, account } = await openAccount();
    const make = async (path?: string) => {
      const source = { kind: "bucket", name: "art", ...(path !== undefined && { path }) };
      const json = { sources: [source] };
      const answer = await api("POST", "/1.0/deliveries", { key, json, env: { ORIGINALS: env.BUCKET } });
      return answer.status === 201 ? 201 : (answer.body.message as string);
    };
    const outside = "sources.0.path must lie in the folder that the operator has granted this account";
    expect(await make("shop")).toBe(
      "sources.0.kind must be web or store: the operator has granted this account no folder of originals",
    );
    await grant(account.id, "shop/");
    expect(await Promise.all([make(), make(""), make("shop"), make("shop/a/"), make("shopping"), make("a")])).toEqual([
      outside,
      outside,
      201,
      201,
      outside,
      outside,
    ]);
    await grant(account.id, "/");
    expect([await make(), await make("a")]).toEqual([201, 201]);
  });

  it.each(["", "shop", "/shop/", "a/../b/", "a//b/", "./", "a\\b/", 1])(
    "is granted by no such folder: %s",
    async (folder) => {
      const { account } = await openAccount();
      const { status, body } = await grant(account.id, folder);
      expect([status, body.message]).toEqual([
        422,
        "originals must be a folder that ends in a slash, without . and .. segments, or / for the whole bucket",
      ]);
    },
  );
});
