/** Uploads through the whole service into each store, spelled out and by connector. */
import { env as worker } from "cloudflare:workers";
import { describe, expect, inject, it } from "vitest";

import { pipeline } from "../../src/pipeline/edges.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { BLOB_ACCOUNT, IAM_KEY, S3_KEYS, SWIFT_ACCOUNT } from "../support/stores/accounts.ts";

const api = apiOf(pipeline);
/** One pixel, WebP lossless. */
const PIXEL = Uint8Array.fromBase64("UklGRhoAAABXRUJQVlA4TA0AAAAvAAAAEAcQERGIiP4HAA==");

const bucket = "pictures";
const endpoint = "https://objects.example.com";

/** Provider, credentials and the rest, as requests spell them. */
const STORES: readonly (readonly [string, Record<string, string>, Record<string, string>])[] = [
  ["provider-a", S3_KEYS, { bucket, region: "eu-central-1" }],
  ["provider-b", S3_KEYS, { bucket }],
  ["provider-c", S3_KEYS, { bucket, region: "eu-central-1" }],
  ["provider-d", SWIFT_ACCOUNT, { container: bucket, region: "iad" }],
  ["provider-e", BLOB_ACCOUNT, { container: bucket }],
  ["provider-e-alt", BLOB_ACCOUNT, { container: bucket }],
  ["provider-f", IAM_KEY, { bucket, region: "eu-de" }],
  ["provider-g", S3_KEYS, { bucket, region: "fra1" }],
  ["s3", { ...S3_KEYS, endpoint }, { bucket }],
];

const env = () => ({ PROVIDER_ENDPOINTS: JSON.stringify(inject("storeEndpoints")) });

async function upload(key: string, data: object) {
  const body = new FormData();
  body.set("file", new File([PIXEL], "pixel.webp"));
  body.set("data", JSON.stringify(data));
  return api("POST", "/1.0/upload", { key, body, env: env() });
}

async function expectStored(answer: Awaited<ReturnType<typeof upload>>) {
  expect(answer.status).toBe(200);
  const stored = await fetch(answer.body.output.url);
  expect(stored.status).toBe(200);
  expect(stored.headers.get("content-type")).toBe("image/webp");
  expect((await stored.bytes()).length).toBe(answer.body.output.bytes);
}

describe.each(STORES)("an upload into %s", (provider, credentials, rest) => {
  it("answers with the permanent object", async () => {
    const { key } = await openAccount();
    const store = { provider, ...credentials, ...rest, path: "spelled/ ü+/pixel 1.webp" };
    const answer = await upload(key, { store });
    await expectStored(answer);
    expect(answer.body.output.url).toMatch(/\/spelled\/%20%C3%BC%2B\/pixel%201\.webp$/);
  });

  it("does the same with a connector, whose defaults the request may replace", async () => {
    const { key } = await openAccount();
    const json = { name: "c", provider, ...credentials, ...rest, path: "from-connector/" };
    const { body } = await api("POST", "/1.0/connectors", { key, json });
    const { id } = body.connector;
    const byDefault = await upload(key, { store: { id } });
    await expectStored(byDefault);
    expect(byDefault.body.output.url).toMatch(/\/from-connector\/pixel\.webp$/);
    await expectStored(await upload(key, { store: { id, path: "from-request/x.webp", metadata: { author: "Jane" } } }));
    const { status, body: refused } = await upload(key, { store: { id, key: "x" } });
    expect([status, refused.message]).toEqual([422, "store.key is not a known parameter"]);
  });
});

describe("an upload into provider-b with a keyfile", () => {
  it("answers with the permanent object, spelled out and by connector", async () => {
    const { key } = await openAccount();
    const saved = await api("POST", "/1.0/keyfiles", { key, json: JSON.parse(inject("keyfile")) });
    const store = { provider: "google", keyfile: saved.body.keyfile.id, bucket };
    await expectStored(await upload(key, { store }));
    const { body } = await api("POST", "/1.0/connectors", { key, json: { name: "c", ...store } });
    await expectStored(await upload(key, { store: { id: body.connector.id } }));
  });
});

describe("an accepted job with a store", () => {
  it("notifies of the permanent object, and its credentials are nowhere to be read", async () => {
    const { key } = await openAccount();
    const [provider, credentials, rest] = STORES[0] ?? [];
    const store = { provider, ...credentials, ...rest };
    const accepted = await upload(key, { store, webhook: { url: "http://127.0.0.1:9/hook" } });
    expect(accepted.status).toBe(202);
    const { body } = await api("GET", `/1.0/webhooks/${accepted.body.id}`, { key });
    const stored = await fetch(body.webhook.payload.output.url);
    expect(stored.status).toBe(200);
    for (const table of ["webhooks", "assets"]) {
      const { results } = await worker.DB.prepare(`SELECT * FROM ${table}`).all();
      expect(JSON.stringify(results)).not.toContain(S3_KEYS.secret);
    }
  });
});

describe("an upload with a store that cannot be used", () => {
  const [, credentials, rest] = STORES[0] ?? [];

  it.each([
    ["another account's connector", { id: "abcDEF1234" }, "store.id must be the id of a saved connector"],
    ["an id that is none", { id: "x" }, "store.id must be the id of a saved connector"],
    ["neither id nor provider", { bucket }, "store.id is required, or provider"],
    [
      "an unknown provider",
      { provider: "x" },
      "store.provider must be one of aws, google, alibaba, rackspace, azure, ibm, digitalocean, r2, s3",
    ],
    [
      "a list of metadata",
      { provider: "aws", ...credentials, ...rest, metadata: ["a"] },
      "store.metadata must not be a list",
    ],
    [
      "a name that would be passed over",
      { provider: "aws", ...credentials, ...rest, metadata: { constructor: "a" } },
      "store.metadata must not have a member named constructor, prototype, __proto__",
    ],
    ["an unknown member", { id: "abcDEF1234", nonsense: 1 }, "store.nonsense is not a known parameter"],
    ["an unknown keyfile", { provider: "google", keyfile: "abcDEF1234", bucket }, /^store\.keyfile must be the id/],
    [
      "two ways to prove who asks",
      { provider: "google", keyfile: "abcDEF1234", key: "x", bucket },
      /^store\.key must not/,
    ],
    ["half a developer key", { provider: "google", key: "x", bucket }, "store.secret is required"],
    ["no object", "aws", "store must be an object"],
    [
      "a wrong secret",
      { provider: "aws", ...credentials, ...rest, secret: "no" },
      "store: aws answered 403 SignatureDoesNotMatch",
    ],
  ])("is refused: %s", async (_, store, message) => {
    const { key } = await openAccount();
    const { status, body } = await upload(key, { store });
    expect(status).toBe(422);
    expect(body.message).toMatch(message);
  });

  it("is refused before the job is accepted", async () => {
    const { key } = await openAccount();
    const webhook = { url: "http://127.0.0.1:9/hook" };
    for (const store of [{ id: "abcDEF1234" }, { provider: "google", keyfile: "abcDEF1234", bucket }]) {
      expect((await upload(key, { store, webhook })).status).toBe(422);
    }
  });

  it("is refused in binary mode", async () => {
    const { key } = await openAccount();
    const store = { provider: "aws", ...credentials, ...rest };
    expect((await upload(key, { store, response: { mode: "binary" } })).status).toBe(422);
  });

  it("is refused where a connector's provider does not know a member", async () => {
    const { key } = await openAccount();
    const json = { name: "c", provider: "ibm", ...IAM_KEY, bucket, region: "eu-de" };
    const { body } = await api("POST", "/1.0/connectors", { key, json });
    const answer = await upload(key, { store: { id: body.connector.id, class: "glacier" } });
    expect(answer.body.message).toBe("store.class is not a known parameter");
  });
});
