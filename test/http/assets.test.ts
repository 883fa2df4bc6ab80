/** The endpoints of saved watermarks, keyfiles and connectors. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it } from "vitest";

import { pipeline } from "../../src/pipeline/edges.ts";
import { openAccount } from "../support/accounts.ts";
import { type Answer, apiOf } from "../support/api.ts";
import { faultyDatabase } from "../support/faults.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";

const api = apiOf(pipeline);
/** One pixel, WebP lossless. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");
const ID = /^[A-Za-z0-9]{10}$/;

const connector = { name: "c", provider: "aws", ...S3_KEYS, region: "eu-central-1" };

async function post(kind: string, key: string, file: Uint8Array | string, data?: object): Promise<Answer> {
  const body = new FormData();
  body.set("file", new File([file as Uint8Array<ArrayBuffer>], "logo.webp"));
  if (data) body.set("data", JSON.stringify(data));
  return api("POST", `/1.0/${kind}`, { key, body });
}

/** Saves one asset of each kind. */
async function saved(key: string) {
  const watermark = await post("watermarks", key, PIXEL);
  const keyfile = await post("keyfiles", key, inject("keyfile"), { name: "k" });
  const made = await api("POST", "/1.0/connectors", { key, json: connector });
  return {
    watermarks: watermark.body.watermark,
    keyfiles: keyfile.body.keyfile,
    connectors: made.body.connector,
  } as Record<string, { id: string }>;
}

describe.each(["watermarks", "keyfiles", "connectors"])("/1.0/%s", (kind) => {
  it("lists what was saved, newest first, in pages", async () => {
    const { key } = await openAccount();
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) ids.unshift((await saved(key))[kind]?.id ?? "");
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(ID);
    const all = await api("GET", `/1.0/${kind}/`, { key });
    expect(new Set(all.body[kind].map((asset: { id: string }) => asset.id))).toEqual(new Set(ids));
    const times = all.body[kind].map((asset: { created_at: string }) => asset.created_at);
    expect(times).toEqual(times.toSorted().toReversed());
    const page = await api("GET", `/1.0/${kind}?offset=1&limit=1`, { key });
    expect(page.body[kind]).toEqual([all.body[kind][1]]);
    expect((await api("GET", `/1.0/${kind}?limit=101`, { key })).status).toBe(422);
  });

  it("shows and deletes one, and then it is gone", async () => {
    const { key } = await openAccount();
    const asset = (await saved(key))[kind];
    const path = `/1.0/${kind}/${asset?.id}`;
    expect((await api("GET", path, { key })).body[kind.slice(0, -1)]).toEqual(asset);
    expect((await api("DELETE", path, { key })).body.id).toBe(asset?.id);
    expect((await api("GET", path, { key })).status).toBe(404);
    expect((await api("DELETE", path, { key })).status).toBe(404);
  });

  it("keeps an account's assets to itself", async () => {
    const owner = await openAccount();
    const other = await openAccount();
    const path = `/1.0/${kind}/${(await saved(owner.key))[kind]?.id}`;
    for (const method of ["GET", "DELETE"]) expect((await api(method, path, { key: other.key })).status).toBe(404);
    expect((await api("GET", `/1.0/${kind}`, { key: other.key })).body[kind]).toEqual([]);
    expect((await api("GET", path, { key: owner.key })).status).toBe(200);
  });
});

describe("secrets", () => {
  it("are never shown, and never lie in the database as they are", async () => {
    const { key } = await openAccount();
    await saved(key);
    const shown = JSON.stringify(
      await Promise.all(["keyfiles", "connectors"].map((kind) => api("GET", `/1.0/${kind}`, { key }))),
    );
    const { results } = await env.DB.prepare("SELECT * FROM assets").all<Record<string, unknown>>();
    const rows = results.map(
      (row) => JSON.stringify(row) + String.fromCharCode(...((row["sealed"] as number[]) ?? [])),
    );
    for (const text of [shown, ...rows]) {
      expect(text).not.toContain(S3_KEYS.secret);
      expect(text).not.toContain(S3_KEYS.key);
      expect(text).not.toContain("PRIVATE KEY");
    }
    expect(shown).toContain(`"key_hint":"${S3_KEYS.key.slice(-4)}"`);
  });
});

describe("POST /1.0/watermarks", () => {
  it("keeps the bytes and says what they are", async () => {
    const { key, account } = await openAccount();
    const { status, body } = await post("watermarks", key, PIXEL, { name: "mark" });
    expect(status).toBe(201);
    expect(body.watermark).toMatchObject({ name: "mark", format: "WEBP", width: 1, height: 1, bytes: PIXEL.length });
    const stored = await env.BUCKET.get(`assets/${account.id}/${body.watermark.id}`);
    expect(await stored?.bytes()).toEqual(PIXEL);
    await api("DELETE", `/1.0/watermarks/${body.watermark.id}`, { key });
    expect(await env.BUCKET.head(`assets/${account.id}/${body.watermark.id}`)).toBeNull();
  });

  it("gives an id that requests can lay over images, those of the account alone", async () => {
    const { key } = await openAccount();
    const { id } = (await post("watermarks", key, PIXEL)).body.watermark;
    expect((await post("upload", key, PIXEL, { watermark: { id } })).status).toBe(200);
    const other = await openAccount();
    for (const watermark of [{ id }, { id: "abcDEF1234" }, { id: "../x" }]) {
      const { status, body } = await post("upload", other.key, PIXEL, { watermark });
      expect(status).toBe(422);
      expect(body.message).toMatch(/^watermark\.id /);
    }
  });

  it("takes the file's name when it is given none", async () => {
    const { key } = await openAccount();
    expect((await post("watermarks", key, PIXEL)).body.watermark.name).toBe("logo.webp");
  });

  it("refuses what is no picture, too large, or named wrongly", async () => {
    const { key } = await openAccount();
    expect((await post("watermarks", key, "text")).status).toBe(415);
    expect((await post("watermarks", key, new Uint8Array(5 * 1024 * 1024 + 1))).status).toBe(413);
    expect((await post("watermarks", key, PIXEL, { nome: "x" })).body.message).toBe("nome is not a known parameter");
    expect((await api("POST", "/1.0/watermarks", { key, json: {} })).status).toBe(415);
  });
});

describe("POST /1.0/keyfiles", () => {
  const file = () => JSON.parse(inject("keyfile")) as Record<string, unknown>;

  it("takes the file in a form, or as the body", async () => {
    const { key } = await openAccount();
    const keyfile = { client_email: "writer@project-1.iam.gserviceaccount.com", project_id: "project-1" };
    const form = await post("keyfiles", key, inject("keyfile"), { name: "mine" });
    expect(form.body.keyfile).toMatchObject({ name: "mine", ...keyfile });
    const { status, body } = await api("POST", "/1.0/keyfiles", { key, json: file() });
    expect(status).toBe(201);
    expect(body.keyfile).toMatchObject({ name: keyfile.client_email, ...keyfile });
  });

  it.each([
    [{ type: "authorized_user" }, "The keyfile must be a JSON object of the type service_account"],
    [{ client_email: undefined }, "The keyfile must have a client_email"],
    [
      { private_key: "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n" },
      /private_key that is an RSA key/,
    ],
    [{ private_key: "x" }, /private_key that is an RSA key/],
    [{ token_uri: "https://evil.example.com/token" }, /^The keyfile must have the token_uri https:/],
  ])("refuses a file with %j", async (change, message) => {
    const { key } = await openAccount();
    const { status, body } = await api("POST", "/1.0/keyfiles", { key, json: { ...file(), ...change } });
    expect(status).toBe(422);
    expect(body.message).toMatch(message);
    expect(body.message).not.toContain("evil");
  });

  it("refuses what is too long or no JSON", async () => {
    const { key } = await openAccount();
    expect((await api("POST", "/1.0/keyfiles", { key, json: { ...file(), x: "x".repeat(17_000) } })).status).toBe(413);
    const long = await post("keyfiles", key, "x".repeat(17_000));
    expect(long.body.message).toBe("The keyfile exceeds the maximum size of 16384 bytes");
    expect((await post("keyfiles", key, "{")).status).toBe(400);
  });
});

describe("/1.0/connectors", () => {
  it.each([
    [{ name: undefined }, "name is required"],
    [{ provider: "dropbox" }, /^provider must be one of/],
    [{ secret: undefined }, "secret is required"],
    [{ secret: "a b" }, "secret must be printable ASCII without spaces"],
    [{ container: "x" }, "container is not a known parameter"],
    [{ nonsense: "x" }, "nonsense is not a known parameter"],
    [{ region: "EU" }, /^region must be/],
    [{ provider: "google", region: undefined, keyfile: "abcdefghij" }, "key must not be given together with keyfile"],
  ])("refuses one with %j", async (change, message) => {
    const { key } = await openAccount();
    const { status, body } = await api("POST", "/1.0/connectors", { key, json: { ...connector, ...change } });
    expect(status).toBe(422);
    expect(body.message).toMatch(message);
  });

  it("are refused beyond 16 KiB, made or changed", async () => {
    const { key } = await openAccount();
    const names = ["Cache-Control", "cache-control", "Content-Type", "content-type", "Expires"];
    const headers = Object.fromEntries(names.map((name) => [name, "x".repeat(3_500)]));
    const { connectors } = await saved(key);
    for (const [method, path] of [
      ["POST", "/1.0/connectors"],
      ["PATCH", `/1.0/connectors/${connectors?.id}`],
    ] as const) {
      const json = method === "POST" ? { ...connector, headers } : { headers };
      const { status, body } = await api(method, path, { key, json });
      expect([status, body.message]).toEqual([413, "The connector exceeds the maximum size of 16384 bytes"]);
    }
  });

  it("changes what is given and judges the whole again", async () => {
    const { key } = await openAccount();
    const { connectors } = await saved(key);
    const path = `/1.0/connectors/${connectors?.id}`;
    const changed = await api("PATCH", path, { key, json: { name: "d", key: "ANOTHERKEY9876" } });
    expect(changed.body.connector).toMatchObject({ id: connectors?.id, name: "d", provider: "aws", key_hint: "9876" });
    expect(changed.body.connector.updated_at >= changed.body.connector.created_at).toBe(true);
    for (const json of [{ provider: "ibm" }, { container: "x" }, { region: "!" }]) {
      expect((await api("PATCH", path, { key, json })).status).toBe(422);
    }
    const other = await openAccount();
    expect((await api("PATCH", path, { key: other.key, json: { name: "x" } })).status).toBe(404);
  });

  it("blames the operator, not the caller, when the vault has no key", async () => {
    const { key } = await openAccount();
    const answer = await api("POST", "/1.0/connectors", { key, json: connector, env: { VAULT_KEY: undefined } });
    expect(answer.status).toBe(500);
    expect(answer.body.message).toBe("Internal error");
  });
});

describe("the number of assets", () => {
  afterEach(() => env.DB.prepare("DELETE FROM assets").run());

  it("is limited", async () => {
    const { key, account } = await openAccount();
    await env.DB.prepare(
      `WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 999)
       INSERT INTO assets SELECT printf('%010d', i), ?, 'watermark', '', '{}', NULL, '', '' FROM n`,
    )
      .bind(account.id)
      .run();
    const { status, body } = await post("watermarks", key, PIXEL);
    expect(status).toBe(422);
    expect(body.message).toBe("An account has at most 1000 watermarks");
    expect((await env.BUCKET.list({ prefix: `assets/${account.id}/` })).objects).toEqual([]);
  });
});

it.each([
  ["fails after", 201, 1],
  ["fails", 500, 0],
] as const)("a watermark whose record %s to be written is whole, or not there", async (mishap, status, count) => {
  const { key } = await openAccount();
  const bytesBefore = (await env.BUCKET.list({ prefix: "assets/" })).objects.length;
  const asked: string[] = [];
  const DB = faultyDatabase(env.DB, "DB", (where) => {
    if (where === "DB.run") asked.push(where);
    return where === "DB.run" ? mishap : "none";
  });
  const body = new FormData();
  body.set("file", new File([PIXEL], "logo.webp"));
  expect((await api("POST", "/1.0/watermarks", { key, body, env: { DB } })).status).toBe(status);
  expect(asked).toHaveLength(1);
  const { watermarks } = (await api("GET", "/1.0/watermarks", { key })).body;
  const bytesAfter = (await env.BUCKET.list({ prefix: "assets/" })).objects.length;
  expect([watermarks.length, bytesAfter - bytesBefore]).toEqual([count, count]);
});
