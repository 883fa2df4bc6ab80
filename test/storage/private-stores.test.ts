/** Stores at private addresses where private origins are forbidden: nothing is told of what lies there, by any request. */
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, it, vi } from "vitest";

import { objectStoreOf } from "../../src/batch/stores.ts";
import { settingsOf } from "../../src/env.ts";
import type { SpelledStore } from "../../src/storage/providers.ts";
import { openStore } from "../../src/storage/store.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { BLOB_ACCOUNT, S3_KEYS } from "../support/stores/accounts.ts";

afterEach(() => vi.restoreAllMocks());

const FORBIDDEN = { allowPrivateOrigins: false, storeHosts: ["minio.internal"] };
const S3 = { provider: "s3", ...S3_KEYS, bucket: "pictures", region: "auto" };

/** Keystone's answer, whose catalog leads into the network of whoever asks. */
function catalog(host: string): Response {
  const endpoints = [{ region: "DFW", publicURL: `https://${host}/v1/a` }];
  const serviceCatalog = [
    { type: "object-store", endpoints },
    { type: "rax:object-cdn", endpoints },
  ];
  const token = { id: "t", expires: new Date(Date.now() + 86_400_000).toISOString() };
  return Response.json({ access: { token, serviceCatalog } });
}

const STORES: readonly [name: string, store: SpelledStore, endpoints: Record<string, string>][] = [
  ["a host that the operator has named", { ...S3, endpoint: "https://minio.internal:9000" }, {}],
  ["an emulator of S3", { ...S3, endpoint: "https://s3.example.com" }, { s3: "http://127.0.0.1:9000" }],
  [
    "an emulator of Azure",
    { provider: "azure", ...BLOB_ACCOUNT, container: "pictures" },
    { azure: "http://10.0.0.1:10000" },
  ],
  [
    "what the catalog of a provider names",
    { provider: "rackspace", username: crypto.randomUUID(), key: "k", container: "pictures", region: "dfw" },
    {},
  ],
];

/** The hosts that are called, with methods. */
function watched(): string[] {
  const called: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (asked, init) => {
    const { hostname } = new URL(asked instanceof Request ? asked.url : asked);
    if (hostname.endsWith("rackspacecloud.com")) return catalog("169.254.169.254");
    called.push(`${init?.method ?? "GET"} ${hostname}`);
    return new Response("<ListBucketResult><IsTruncated>false</IsTruncated></ListBucketResult>");
  });
  return called;
}

describe.each(STORES)("of %s", (_, store, providerEndpoints) => {
  const policy = { ...FORBIDDEN, providerEndpoints };
  const opened = openStore(store, { policy, keyfile: undefined });
  const tags = new Headers({ "x-amz-tagging-count": "1", "x-ms-tag-count": "1" });
  const asks: Readonly<Record<string, () => Promise<unknown>>> = {
    "its list": () => opened.list({ prefix: "", limit: 1 }),
    "an object": () =>
      objectStoreOf(opened, { ...settingsOf(env), ...policy }, undefined).read("a.jpg", async () => true),
    "what an object has besides": async () => opened.kept("a.jpg", tags),
  };

  it.each(Object.keys(asks))("%s is not asked for", async (what) => {
    const called = watched();
    await expect(asks[what]?.()).rejects.toThrow();
    expect(called).toEqual([]);
  });

  it("the same is asked for where private origins are allowed", async () => {
    const called = watched();
    const free = openStore(store, { policy: { ...policy, allowPrivateOrigins: true }, keyfile: undefined });
    await free.list({ prefix: "", limit: 1 }).catch(() => undefined);
    expect(called).toEqual([expect.stringMatching(/^GET /)]);
  });
});

describe("results", () => {
  const object = { key: "a.jpg", bytes: new Uint8Array(1), contentType: "image/jpeg" };

  it("go to a private host that the operator has named, and to no other", async () => {
    const called = watched();
    const policy = { ...FORBIDDEN, providerEndpoints: {} };
    const named = openStore({ ...S3, endpoint: "https://minio.internal:9000" }, { policy, keyfile: undefined });
    await named.put(object);
    expect(called).toEqual(["PUT minio.internal"]);
    const [, store] = STORES[3] ?? [];
    const cataloged = openStore(store as SpelledStore, { policy, keyfile: undefined });
    await expect(cataloged.put(object)).rejects.toThrow("store must have a public address");
    expect(called).toHaveLength(1);
  });
});

describe("a batch", () => {
  it.each([true, false])("of such a store is refused before anything is asked of it (dry run: %s)", async (dry_run) => {
    const { key } = await openAccount();
    const api = apiOf();
    const env = { ALLOW_PRIVATE_ORIGINS: "false", STORE_HOSTS: "minio.internal,s3.example.com" };
    const connect = async (endpoint: string): Promise<string> => {
      const json = { name: "c", ...S3, endpoint };
      return (await api("POST", "/1.0/connectors", { key, json, env })).body.connector.id;
    };
    const [inside, outside] = [await connect("https://minio.internal"), await connect("https://s3.example.com")];
    const called = watched();
    for (const [source, target] of [
      [inside, outside],
      [outside, inside],
    ]) {
      const json = { source: { connector: source }, target: { connector: target, prefix: "to/" }, dry_run };
      const { status, body } = await api("POST", "/1.0/batches", { key, json, env });
      const member = source === inside ? "source" : "target";
      const message = `${member}.connector must be a connector whose store can be read: it must have a public address`;
      expect([status, body.message]).toEqual([422, message]);
    }
    expect(called).toEqual([]);
  });
});
