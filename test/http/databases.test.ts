/** Accounts whose records lie in several databases. */
import { createExecutionContext, createMessageBatch, getQueueResult } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeEach, describe, expect, it } from "vitest";

import { databaseNamed } from "../../src/account/databases.ts";
import { forgetKeys } from "../../src/account/keys.ts";
import { dayOf } from "../../src/account/usage.ts";
import { findDeliveryById, forgetDeliveries } from "../../src/delivery/lookup.ts";
import { storeRequest } from "../../src/delivery/store.ts";
import { createConsumer } from "../../src/entrances/queue.ts";
import { settingsOf } from "../../src/env.ts";
import { HAND_OUT_MS } from "../../src/limits/webhook.ts";
import { sealOf } from "../../src/pipeline/notices.ts";
import { accept } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api, type Call } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { NEW_KEY, OLD_KEY } from "../support/sealed.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { sweptMessages } from "../support/sweeps.ts";
import { column, holding, receiver, storeIn, untilStatus } from "../support/webhooks.ts";

const NAMES = ["DB", "DB_1", "DB_2"] as const;
const ask = (key: string, url: string, call: Call = {}) =>
  api("POST", "/1.0/fetch", { key, json: { url: "https://images.test/a.png", webhook: { url } }, ...call });
const list = (key: string, call: Call = {}) => api("GET", "/1.0/webhooks", { key, ...call });
beforeEach(() => forgetKeys());

it("a new account lies in one of the databases that the sweep has found in order, and works", async () => {
  const first = await api("POST", "/admin/accounts", { headers: ADMIN, json: { name: "Harbor Prints" } });
  expect(first.body.account.database).toBe("DB");
  await sweptMessages();
  const names = new Set<string>();
  for (let round = 0; round < 40 && names.size < 3; round += 1) {
    const { body } = await api("POST", "/admin/accounts", { headers: ADMIN, json: { name: "Harbor Prints" } });
    names.add(body.account.database);
    expect((await list(body.key)).body.webhooks).toEqual([]);
  }
  expect([...names].toSorted()).toEqual(NAMES);
});

describe.each(NAMES)("an account in %s", (name) => {
  const database = databaseNamed(env, name);

  it("has its jobs accepted, done, listed, shown and repeated there, and nowhere else", async () => {
    const { key } = await openAccount(10, name);
    const { url, received } = receiver();
    const { status, body } = await ask(key, url);
    expect(status).toBe(202);
    await untilStatus(body.id, "delivered", database);
    expect(await holding(body.id)).toEqual([name]);
    expect((await list(key)).body.webhooks).toMatchObject([{ id: body.id, status: "delivered" }]);
    expect((await api("GET", `/1.0/webhooks/${body.id}`, { key })).body.webhook).toMatchObject({ id: body.id });
    expect((await api("POST", `/1.0/webhooks/${body.id}/redeliver`, { key })).status).toBe(202);
    expect(await received(2)).toHaveLength(2);
    expect((await api("GET", "/1.0/account", { key })).body.credits.used).toBe(1);
  });

  it("has its deliveries where addresses find them, with the connectors that lie there", async () => {
    const { key, account } = await openAccount(10, name);
    const json = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1", bucket: "pictures" };
    const { id: connector } = (await api("POST", "/1.0/connectors", { key, json })).body.connector;
    const sources = [{ kind: "store", name: "shop", connector }];
    const made = await api("POST", "/1.0/deliveries", { key, json: { sources } });
    expect(made.status).toBe(201);
    const { id } = made.body.delivery;
    expect((await api("GET", `/1.0/deliveries/${id}/signing`, { key })).body.signing).toEqual(made.body.signing);
    const changed = await api("PATCH", `/1.0/deliveries/${id}`, { key, json: { name: "shop", sources } });
    expect(changed.body.delivery).toMatchObject({ id, name: "shop" });
    forgetDeliveries();
    const opened = await findDeliveryById(env, settingsOf(env), id, Date.now());
    expect(opened).toMatchObject({ accountId: account.id, database: name });
    const ports = { env, settings: settingsOf(env), accountId: account.id, database: name };
    expect((await storeRequest(ports, connector, "a.jpg")).url).toContain("/a.jpg");
  });

  it("has its assets and its usage there", async () => {
    const { key, account, keyId } = await openAccount(10, name);
    const json = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1" };
    const { id } = (await api("POST", "/1.0/connectors", { key, json })).body.connector;
    expect((await api("GET", `/1.0/connectors/${id}`, { key })).body.connector).toMatchObject({ id });
    expect(await database.prepare("SELECT COUNT(*) AS n FROM assets WHERE id = ?").bind(id).first("n")).toBe(1);
    const usage = { account_id: account.id, key_id: keyId, key_hint: key.slice(-4), requests: 3 };
    expect((await api("GET", "/1.0/account/usage", { key })).body.usage).toMatchObject([usage]);
    const ofOne = await api("GET", `/admin/usage?account=${account.id}`, { headers: ADMIN });
    expect(ofOne.body.usage).toMatchObject([usage]);
    const sql = "SELECT requests FROM usage WHERE account_id = ?";
    expect(await database.prepare(sql).bind(account.id).first("requests")).toBe(3);
  });

  it("has a lost job handed out by the sweep, with its database, and done", async () => {
    const { url, received } = receiver();
    const id = await accepted(database, url);
    const message = (await sweptMessages()).find((sent) => sent.id === id);
    expect(message).toEqual({ kind: "run", id, database: name });
    await consume(message);
    expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true, id });
    await untilStatus(id, "delivered", database);
  });

  it("has old bodies dropped and old records deleted, and the bytes of waiting jobs kept", async () => {
    const day = 86_400_000;
    const [emptied = "", deleted = ""] = await storeIn(
      database,
      { accountId: "a", createdAt: Date.now() - 8 * day },
      { accountId: "a", createdAt: Date.now() - 61 * day },
    );
    const folder = name === "DB" ? "" : `${name}/`;
    const [waiting, orphan] = [`jobs/000000000001/waits-in-${name}`, `jobs/000000000001/${crypto.randomUUID()}`];
    for (const key of [waiting, orphan]) await env.BUCKET.put(folder + key, "bytes");
    const id = `waits-in-${name}`;
    await storeIn(database, { id, accountId: "a", status: "created", wakeAt: Date.now(), payload: null });
    await database.prepare("UPDATE webhooks SET job = x'00', bytes_key = ?2 WHERE id = ?1").bind(id, waiting).run();
    await sweptMessages();
    expect(await column(emptied, "payload", database)).toBeNull();
    expect(await column(deleted, "status", database)).toBeNull();
    expect(await env.BUCKET.head(folder + waiting)).not.toBeNull();
    expect(await env.BUCKET.head(folder + orphan)).toBeNull();
    await env.BUCKET.delete(folder + waiting);
  });
});

/** A job that was accepted and whose start was lost. */
async function accepted(database: D1Database, url: string): Promise<string> {
  const id = crypto.randomUUID();
  const source = { kind: "fetch", url: "https://images.test/a.png", headers: {} };
  const job = JSON.stringify({ source, processing: {}, baseUrl: "https://darkroom.test" });
  const ports = {
    store: storeOf(database),
    uploads: uploadsOf(env.BUCKET),
    seal: sealOf(env),
    now: () => Date.now() - 2 * HAND_OUT_MS,
    newClaim: () => crypto.randomUUID(),
    random: () => 0,
    pause: async () => undefined,
    wake: async () => undefined,
    report: () => undefined,
  };
  await accept({ id, accountId: "account", url, delaySeconds: 0, job, upload: undefined }, ports);
  return id;
}

async function consume(body: unknown): Promise<void> {
  const batch = createMessageBatch("darkroom", [{ id: "0", timestamp: new Date(), attempts: 1, body }]);
  await createConsumer(shortPipeline)(batch, env);
  expect((await getQueueResult(batch, createExecutionContext())).explicitAcks).toEqual(["0"]);
}

it("messages of an earlier version, without a database, are about records in DB", async () => {
  const { url, received } = receiver();
  const id = await accepted(env.DB, url);
  await consume({ kind: "run", id });
  expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true, id });
});

it("everything is sealed anew in all databases", async () => {
  const json = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1" };
  const saved: { key: string; id: string }[] = [];
  for (const name of NAMES) {
    const { key } = await openAccount(10, name);
    const { body } = await api("POST", "/1.0/connectors", { key, json, env: { VAULT_KEY: OLD_KEY } });
    saved.push({ key, id: body.connector.id });
  }
  const call = () =>
    api("POST", "/admin/vault/reseal", { headers: ADMIN, env: { VAULT_KEY: `${NEW_KEY},${OLD_KEY}` } });
  while ((await call()).body.left > 0);
  for (const { key, id } of saved) {
    const changed = { key, json: { name: "d" }, env: { VAULT_KEY: NEW_KEY } };
    expect((await api("PATCH", `/1.0/connectors/${id}`, changed)).status).toBe(200);
  }
});

describe("usage of all accounts", () => {
  it("is one list, newest first, in pages, however many databases there are", async () => {
    const sql = "INSERT INTO usage VALUES (?1, ?2, ?3, 1, 0, 0, 0, 0, 0, 0)";
    // Days on which nobody else did anything.
    const days = [302, 301, 300].map((ago) => dayOf(Date.now() - ago * 86_400_000));
    const rows = NAMES.flatMap((name) => days.map((day) => ({ name, day, account: crypto.randomUUID() })));
    for (const { name, day, account } of rows)
      await databaseNamed(env, name).prepare(sql).bind(account, crypto.randomUUID(), day).run();
    const order = rows.map(({ day, account }) => `${day} ${account}`);
    const expected = days.toReversed().flatMap((day) => order.filter((one) => one.startsWith(day)).toSorted());
    const page = async (offset: number) => {
      const path = `/admin/usage?start=${days[0]}&end=${days[2]}&limit=4&offset=${offset}`;
      return (await api("GET", path, { headers: ADMIN })).body;
    };
    const pages = [await page(0), await page(4), await page(8), await page(12)];
    const shown = pages.flatMap(({ usage }) =>
      usage.map((row: { day: string; account_id: string }) => `${row.day} ${row.account_id}`),
    );
    expect(shown).toEqual(expected);
    for (const { total } of pages) expect(total.requests).toBe(9);
    const far = await api("GET", "/admin/usage?offset=10001", { headers: ADMIN });
    expect([far.status, far.body.message]).toEqual([
      422,
      "offset must be at most 10000; start and end narrow the list",
    ]);
  });
});
