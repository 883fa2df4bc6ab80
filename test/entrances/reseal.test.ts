/** After a change of the vault's key, everything sealed is sealed anew. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it, vi } from "vitest";

import { alertsContext, changeAccount, findAccount, openAlerts } from "../../src/account/accounts.ts";
import { openAsset, saveAsset } from "../../src/account/assets.ts";
import { type Vault, vaultOf } from "../../src/account/vault.ts";
import { countSql, pickSql, reseal, SEALED_COLUMNS } from "../../src/entrances/reseal.ts";
import { settingsOf } from "../../src/env.ts";
import { MAX_COUNTED_SECRETS } from "../../src/limits/assets.ts";
import { QUEUE_WORK_MS } from "../../src/limits/webhook.ts";
import { sealOf } from "../../src/pipeline/notices.ts";
import { runWork } from "../../src/pipeline/work.ts";
import { accept, targetContext } from "../../src/webhook/accept.ts";
import { uploadsOf } from "../../src/webhook/bytes.ts";
import { rotateSecret, secretOf } from "../../src/webhook/secrets.ts";
import { storeOf } from "../../src/webhook/store.ts";
import { ADMIN, openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { shortPipeline } from "../support/pipeline.ts";
import { NEW_KEY, OLD_KEY, sealedAtFirst } from "../support/sealed.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { receiver } from "../support/webhooks.ts";

const under = (...keys: readonly string[]): Env => ({ ...env, VAULT_KEY: keys.join(",") }) as Env;
const vaultUnder = (...keys: readonly string[]) => vaultOf(settingsOf(under(...keys)).vaultKeys);
const call = (...keys: readonly string[]) =>
  api("POST", "/admin/vault/reseal", { headers: ADMIN, env: { VAULT_KEY: keys.join(",") } });
const before = { VAULT_KEY: OLD_KEY };
const connector = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1" };
const now = () => Date.now();

afterEach(async () => {
  vi.restoreAllMocks();
  const tables = [...new Set(SEALED_COLUMNS.map(({ table }) => table))].filter((table) => table !== "accounts");
  const deletions = tables.map((table) => `DELETE FROM ${table}`);
  const statements = [...deletions, "UPDATE accounts SET alerts = NULL"];
  await env.DB.batch(statements.map((sql) => env.DB.prepare(sql)));
});

/** An accepted job whose start was lost. */
async function waiting(on: Env, url = "https://example.com/", job: object = {}): Promise<string> {
  const id = crypto.randomUUID();
  const ports = {
    store: storeOf(on.DB),
    uploads: uploadsOf(on.BUCKET),
    seal: sealOf(on),
    now,
    newClaim: () => crypto.randomUUID(),
    random: Math.random,
    pause: async () => undefined,
    wake: async () => undefined,
    report: () => undefined,
  };
  const source = { kind: "fetch", url: "https://images.test/a.png", headers: {} };
  const text = JSON.stringify({ source, processing: {}, baseUrl: "https://darkroom.test", ...job });
  await accept({ id, accountId: "account", url, delaySeconds: 0, job: text, upload: undefined }, ports);
  return id;
}

async function savedConnector(vault: Vault, accountId: string, id: string): Promise<void> {
  const asset = { id, name: "c", details: {}, secret: { key: "the key" } };
  await saveAsset({ db: env.DB, vault, accountId }, "connector", asset, new Date());
}

/** A record whose target was sealed for it with a vault, or as is given. */
async function record(id: string, target: Uint8Array): Promise<void> {
  const sql = `INSERT INTO webhooks (id, account_id, status, created_at, updated_at, delay_seconds, target, stage, sweep_at)
    VALUES (?1, 'account', 'delivered', 0, 0, 0, ?2, 'kept', 0)`;
  await env.DB.prepare(sql).bind(id, target).run();
}

const targetOf = async (id: string): Promise<Uint8Array> => {
  const target = await env.DB.prepare("SELECT target FROM webhooks WHERE id = ?").bind(id).first<number[]>("target");
  return Uint8Array.from(target ?? []);
};

it("knows every column that holds something sealed", async () => {
  const sql =
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB '_cf_*' AND name NOT GLOB 'sqlite_*'";
  const { results: tables } = await env.DB.prepare(sql).all<{ name: string }>();
  const blobs: string[] = [];
  for (const { name } of tables) {
    const { results: columns } = await env.DB.prepare(`PRAGMA table_info(${name})`).all<{
      name: string;
      type: string;
    }>();
    blobs.push(...columns.filter(({ type }) => type === "BLOB").map((column) => `${name}.${column.name}`));
  }
  expect(SEALED_COLUMNS.map(({ table, column }) => `${table}.${column}`).toSorted()).toEqual(blobs.toSorted());
});

describe("after a change of VAULT_KEY", () => {
  it("everything opens with the new key alone, once nothing is left", async () => {
    const { key, account } = await openAccount();
    const made = await api("POST", "/1.0/connectors", { key, json: connector, env: before });
    const form = new FormData();
    form.set("file", new File([inject("keyfile")], "key.json"));
    const keyfile = await api("POST", "/1.0/keyfiles", { key, body: form, env: before });
    await secretOf(env.DB, sealOf(under(OLD_KEY)), account.id, now());
    const signing = await rotateSecret(env.DB, sealOf(under(OLD_KEY)), account.id, now());
    const alerts = await vaultUnder(OLD_KEY).seal({ webhook: "https://example.com/" }, alertsContext(account.id));
    await changeAccount(env.DB, account.id, { alerts });
    const { url, received } = receiver();
    const job = await waiting(under(OLD_KEY), url);

    // Before anything is sealed anew, both keys serve.
    expect(await secretOf(env.DB, sealOf(under(NEW_KEY, OLD_KEY)), account.id, now())).toEqual(signing);
    const { status, body } = await call(NEW_KEY, OLD_KEY);
    expect([status, body]).toEqual([200, { success: true, code: 200, resealed: 7, left: 0 }]);

    const told = (await findAccount(env.DB, account.id))?.alerts ?? new Uint8Array();
    expect(await openAlerts(vaultUnder(NEW_KEY), account.id, told)).toEqual({ webhook: "https://example.com/" });
    const shelf = { db: env.DB, vault: vaultUnder(NEW_KEY), accountId: account.id };
    const { id } = made.body.connector;
    expect(await openAsset(shelf, "connector", id)).toMatchObject(S3_KEYS);
    expect(await openAsset(shelf, "keyfile", keyfile.body.keyfile.id)).toHaveProperty("private_key");
    expect(await secretOf(env.DB, sealOf(under(NEW_KEY)), account.id, now())).toEqual(signing);
    await runWork(under(NEW_KEY), shortPipeline, { id: job }, QUEUE_WORK_MS);
    expect(JSON.parse((await received(1))[0]?.body ?? "")).toMatchObject({ success: true, id: job });
    await expect(openAsset({ ...shelf, vault: vaultUnder(OLD_KEY) }, "connector", id)).rejects.toMatchObject({
      status: 500,
    });
  });

  it("what was sealed before there could be several keys is sealed anew, with the same key too", async () => {
    const old = Uint8Array.fromBase64(OLD_KEY);
    for (const keys of [[OLD_KEY], [NEW_KEY, OLD_KEY]]) {
      const id = crypto.randomUUID();
      await record(id, await sealedAtFirst(old, "https://example.com/", targetContext(id)));
      expect((await call(...keys)).body).toMatchObject({ resealed: 1, left: 0 });
      expect(await sealOf(under(...keys.slice(0, 1))).open(await targetOf(id), targetContext(id))).toBe(
        "https://example.com/",
      );
      await env.DB.prepare("DELETE FROM webhooks").run();
    }
  });

  it("goes on call by call, of at most 500", async () => {
    const vault = vaultUnder(OLD_KEY);
    const ids = Array.from({ length: 501 }, (_, index) => `record ${index}`);
    await Promise.all(ids.map(async (id) => record(id, await vault.seal({ id }, targetContext(id)))));
    await savedConnector(vault, (await openAccount()).account.id, "0000000000");
    const answers = [];
    for (let count = 0; count < 3; count += 1) answers.push((await call(NEW_KEY, OLD_KEY)).body);
    expect(answers.map(({ resealed, left }) => [resealed, left])).toEqual([
      [500, 2],
      [2, 0],
      [0, 0],
    ]);
    for (const id of ids)
      expect(await vaultUnder(NEW_KEY).openJson(await targetOf(id), targetContext(id))).toEqual({ id });
  });

  it("takes no more jobs into memory at once than fit", async () => {
    for (let count = 0; count < 3; count += 1) {
      await waiting(under(OLD_KEY), "https://example.com/", { accept: "x".repeat(600_000) });
    }
    const answers = [await call(NEW_KEY, OLD_KEY), await call(NEW_KEY, OLD_KEY)];
    expect(answers.map(({ body }) => [body.resealed, body.left])).toEqual([
      [5, 1],
      [1, 0],
    ]);
  });

  it("a job that ended counts no more", async () => {
    const id = await waiting(under(OLD_KEY));
    await storeOf(env.DB).finishRun(id, { payload: "{}", dueAt: now(), now: now() });
    expect((await call(NEW_KEY, OLD_KEY)).body).toMatchObject({ resealed: 1, left: 0 });
  });
});

describe("what changes while it is sealed anew", () => {
  it("is not overwritten", async () => {
    const { account } = await openAccount();
    await savedConnector(vaultUnder(OLD_KEY), account.id, "0000000000");
    const vault = vaultUnder(NEW_KEY, OLD_KEY);
    const changed = await vaultUnder(OLD_KEY).seal({ key: "a later key" }, `connector ${account.id} 0000000000`);
    const slow: Vault = {
      ...vault,
      seal: async (...args) => {
        await env.DB.prepare("UPDATE assets SET sealed = ?").bind(changed).run();
        return vault.seal(...args);
      },
    };
    expect(await reseal([env.DB], slow)).toEqual({ resealed: 0, left: 1 });
    expect(await reseal([env.DB], vault)).toEqual({ resealed: 1, left: 0 });
    const shelf = { db: env.DB, vault: vaultUnder(NEW_KEY), accountId: account.id };
    expect(await openAsset(shelf, "connector", "0000000000")).toEqual({ key: "a later key" });
  });

  it("may be gone", async () => {
    const id = "record";
    await record(id, await vaultUnder(OLD_KEY).seal({}, targetContext(id)));
    const vault = vaultUnder(NEW_KEY, OLD_KEY);
    const slow: Vault = {
      ...vault,
      seal: async (...args) => {
        await env.DB.prepare("DELETE FROM webhooks").run();
        return vault.seal(...args);
      },
    };
    expect(await reseal([env.DB], slow)).toEqual({ resealed: 0, left: 0 });
  });
});

describe("what no key opens", () => {
  it("is left, and said once nothing else is, to the caller and in the log", async () => {
    const logged = vi.spyOn(console, "error");
    await record("lost", await vaultUnder(OLD_KEY).seal({ password: "hunter2" }, targetContext("lost")));
    await record("other", await vaultUnder(NEW_KEY).seal({}, targetContext("other")));
    const third = new Uint8Array(32).toBase64();
    expect((await call(third, NEW_KEY)).body).toMatchObject({ resealed: 1, left: 1 });
    const { status, body } = await call(third, NEW_KEY);
    expect([status, body.message]).toEqual([422, "Secrets that no key of VAULT_KEY opens: 1"]);
    const lines = logged.mock.calls.map(([line]) => String(line));
    expect(lines.map((line) => JSON.parse(line))).toContainEqual({
      event: "vault",
      left: { "webhooks.target": 1 },
    });
    expect(lines.join()).not.toContain("hunter2");
    // The key is found again.
    expect((await call(third, OLD_KEY)).body).toMatchObject({ resealed: 1, left: 0 });
  });

  it("is counted to a bound, however much it is", async () => {
    vi.spyOn(console, "error");
    const sql = `INSERT INTO webhooks (id, account_id, status, created_at, updated_at, delay_seconds, target, stage, sweep_at)
      WITH RECURSIVE number(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM number WHERE n < ?1)
      SELECT 'lost ' || n, 'account', 'delivered', 0, 0, 0, ?2, 'kept', 0 FROM number`;
    const target = await vaultUnder(OLD_KEY).seal({}, targetContext("lost"));
    await env.DB.prepare(sql)
      .bind(MAX_COUNTED_SECRETS + 1_000, target)
      .run();
    const third = new Uint8Array(32).toBase64();
    const { status, body } = await call(third, NEW_KEY);
    expect([status, body.message]).toEqual([
      422,
      `Secrets that no key of VAULT_KEY opens: ${MAX_COUNTED_SECRETS}, or more of one kind`,
    ]);
  });

  it("stands in nobody's way, and is named in the log, when it was damaged", async () => {
    const logged = vi.spyOn(console, "error");
    const damaged = await vaultUnder(OLD_KEY).seal({}, targetContext("another"));
    await record("damaged", damaged);
    await record("sound", await vaultUnder(OLD_KEY).seal({}, targetContext("sound")));
    expect((await call(NEW_KEY, OLD_KEY)).body).toMatchObject({ resealed: 1, left: 1 });
    expect((await call(NEW_KEY, OLD_KEY)).status).toBe(422);
    expect(JSON.parse(String(logged.mock.calls[0]?.[0]))).toMatchObject({
      event: "vault",
      table: "webhooks",
      column: "target",
      damaged: 1,
      first: "damaged",
      causes: [{ message: "Internal error" }, { message: "A sealed secret does not open" }, {}],
    });
    expect(await targetOf("damaged")).toEqual(damaged);
  });

  it("is an error of ours to those who ask for it", async () => {
    const logged = vi.spyOn(console, "error");
    const { key } = await openAccount();
    const { body } = await api("POST", "/1.0/connectors", { key, json: connector, env: before });
    const path = `/1.0/connectors/${body.connector.id}`;
    const answer = await api("PATCH", path, { key, json: { name: "d" } });
    expect([answer.status, answer.body.message]).toEqual([500, "Internal error"]);
    expect(String(logged.mock.calls[0]?.[0])).toContain("Sealed under a key that VAULT_KEY does not hold");
  });
});

describe("the setting VAULT_KEY", () => {
  it.each([OLD_KEY, `${NEW_KEY},${OLD_KEY}`, ` ${NEW_KEY}\n${OLD_KEY}\n`, `${NEW_KEY} , ${OLD_KEY.replace("=", "")},`])(
    "may be %j",
    (VAULT_KEY) => {
      const { vaultKeys } = settingsOf({ VAULT_KEY });
      expect(vaultKeys.map((key) => key.length)).toEqual(VAULT_KEY.includes(NEW_KEY) ? [32, 32] : [32]);
      expect(vaultKeys.at(-1)?.toBase64()).toBe(OLD_KEY);
    },
  );

  it("comes after VAULT_KEY_NEXT, so that a key that nobody knows can be changed", async () => {
    const id = await waiting(under(OLD_KEY));
    const settings = { VAULT_KEY: OLD_KEY, VAULT_KEY_NEXT: NEW_KEY };
    const { body } = await api("POST", "/admin/vault/reseal", { headers: ADMIN, env: settings });
    expect(body).toMatchObject({ resealed: 2, left: 0 });
    expect(await sealOf(under(NEW_KEY)).open(await targetOf(id), targetContext(id))).toBe("https://example.com/");
    expect(() => settingsOf({ ...settings, VAULT_KEY_NEXT: "short" })).toThrow("The variable VAULT_KEY_NEXT must be");
  });

  it.each(["", ",", "short", "c2hvcnQ=", "!!", `${OLD_KEY},short`, OLD_KEY + NEW_KEY])("may not be %j", (VAULT_KEY) => {
    expect(() => settingsOf({ VAULT_KEY })).toThrow(
      "The variable VAULT_KEY must be keys of 32 bytes in base64, separated by commas or spaces",
    );
  });
});

it("does not count an address that is not kept any more", async () => {
  const id = crypto.randomUUID();
  await record(id, new Uint8Array());
  expect((await call(NEW_KEY, OLD_KEY)).body).toMatchObject({ resealed: 0, left: 0 });
});

it.each(["webhooks", "assets", "accounts"])("finds what is left of %s by its index", async (name) => {
  for (const one of SEALED_COLUMNS.filter(({ table, column }) => table === name && column !== "job")) {
    const ranges = (sql: string) => `SEARCH ${sql} USING ${sql === name ? "COVERING INDEX" : "INDEX"} ${name}_by_head`;
    expect(await planOf(pickSql(one), "[]", 1, 1)).toContain(ranges("kept"));
    expect(await planOf(countSql(one), new Uint8Array(5), 1)).toContain(ranges(name));
    expect(await planOf(countSql(one), new Uint8Array(5), 1)).not.toContain(`SCAN ${name}`);
  }
});

it("finds jobs that are left among records that wait", async () => {
  for (const one of SEALED_COLUMNS.filter(({ column }) => column === "job")) {
    expect(await planOf(pickSql(one), "[]", 1, 1)).toContain("SEARCH kept USING INDEX webhooks_to_sweep (stage=?)");
    expect(await planOf(countSql(one), new Uint8Array(5), 1)).not.toContain("SCAN webhooks");
  }
});

async function planOf(sql: string, ...values: readonly unknown[]): Promise<string> {
  const { results } = await env.DB.prepare(`EXPLAIN QUERY PLAN ${sql}`)
    .bind(...values)
    .all<{ detail: string }>();
  return results.map(({ detail }) => detail).join("\n");
}
