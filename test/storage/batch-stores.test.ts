/** What batches ask of stores: lists in parts, conditions, and all that an object has besides its bytes. */
import * as v from "valibot";
import { describe, expect, inject, it } from "vitest";

import { parseKeyfile } from "../../src/storage/keyfile.ts";
import { type SpelledStore, Store } from "../../src/storage/providers.ts";
import { StoreError } from "../../src/storage/session.ts";
import { type OpenStore, openStore } from "../../src/storage/store.ts";
import { BLOB_ACCOUNT, IAM_KEY, S3_KEYS, SWIFT_ACCOUNT } from "../support/stores/accounts.ts";

const endpoint = "https://objects.example.com";
/** A provider, what its requests say, the member that names the bucket, and whether it compares versions. */
const STORES: readonly (readonly [string, object, "bucket" | "container", boolean])[] = [
  ["provider-a", { provider: "aws", ...S3_KEYS, region: "eu-central-1" }, "bucket", true],
  ["provider-b by key", { provider: "google", ...S3_KEYS }, "bucket", false],
  ["provider-b by keyfile", { provider: "google", keyfile: "abcDEF1234" }, "bucket", true],
  ["provider-c", { provider: "alibaba", ...S3_KEYS, region: "eu-central-1" }, "bucket", false],
  ["provider-d", { provider: "rackspace", ...SWIFT_ACCOUNT, region: "iad" }, "container", false],
  ["provider-e", { provider: "azure", ...BLOB_ACCOUNT }, "container", true],
  ["provider-f", { provider: "ibm", ...IAM_KEY, region: "eu-de" }, "bucket", true],
  ["provider-g", { provider: "digitalocean", ...S3_KEYS, region: "fra1" }, "bucket", true],
  ["s3", { provider: "s3", ...S3_KEYS, endpoint }, "bucket", true],
];

async function opened(store: object): Promise<OpenStore> {
  const spelled = v.parse(Store, store) as SpelledStore;
  const keyfile = "keyfile" in store ? await parseKeyfile(JSON.parse(inject("keyfile"))) : undefined;
  const policy = { providerEndpoints: inject("storeEndpoints"), storeHosts: [], allowPrivateOrigins: true };
  return openStore(spelled, { policy, keyfile });
}

const bytes = new TextEncoder().encode("an object");
const put = { bytes, contentType: "image/webp" };

async function all(store: OpenStore, prefix: string, limit: number, from?: string): Promise<string[]> {
  const keys: string[] = [];
  let cursor = from;
  do {
    // oxlint-disable-next-line no-await-in-loop -- each part begins where the one before ends
    const listing = await store.list({ prefix, limit, ...(cursor !== undefined && { cursor }) });
    expect(listing.objects.length).toBeLessThanOrEqual(limit);
    keys.push(...listing.objects.map(({ key }) => key));
    ({ cursor } = listing);
  } while (cursor !== undefined);
  return keys;
}

async function answered(store: OpenStore, key: string): Promise<Headers> {
  const { url, headers } = await store.read(key);
  const answer = await fetch(url, { headers });
  await answer.body?.cancel();
  expect(answer.status).toBe(200);
  return answer.headers;
}

const unique = () => crypto.randomUUID().slice(0, 8);

describe.each(STORES)("%s", (_, members, bucket, compares) => {
  it("lists names of every kind in parts, and goes on behind any of them", async () => {
    const store = await opened({ ...members, [bucket]: "pictures" });
    const folder = `${unique()}/`;
    const names = ["a b.jpg", "a+b.jpg", "a&b <c>.jpg", "deep/ü.jpg", "z%20.jpg"].map((name) => folder + name).sort();
    for (const key of names) await store.put({ ...put, key });
    expect(await all(store, folder, 2)).toEqual(names);
    expect(await all(store, folder, 100)).toEqual(names);
    expect(await all(store, `${folder}deep/`, 2)).toEqual([`${folder}deep/ü.jpg`]);
    expect(await all(store, `${folder}nothing/`, 2)).toEqual([]);
    const { objects } = await store.list({ prefix: folder, limit: 1 });
    expect(objects[0]?.bytes).toBe(bytes.length);
    const behind = store.row.cursorAfter?.(names[1] ?? "");
    if (behind !== undefined) expect(await all(store, folder, 2, behind)).toEqual(names.slice(2));
  });

  it("writes what carries a mark, and what is new only where nothing is", async () => {
    const store = await opened({ ...members, [bucket]: "pictures" });
    const key = `${unique()}.webp`;
    const fresh = { ...put, key, mark: "1.a.b", condition: { is: "absent" } } as const;
    await store.put(fresh);
    expect(store.row.told(await answered(store, key)).mark).toBe("1.a.b");
    const again = await store.put(fresh).catch((error: unknown) => error);
    // By key, Google's stores take no condition: what is there is looked at before.
    if (store.row.code === "provider-b" && !compares) expect(typeof again).toBe("string");
    else expect(again instanceof StoreError && again.isConflict).toBe(true);
  });

  it.runIf(compares)("replaces the version that was read, keeps the rest, and no other version", async () => {
    const metadata = { author: "Jane" };
    const headers = { "Cache-Control": "max-age=60", "Content-Disposition": "inline" };
    const store = await opened({ ...members, [bucket]: "pictures", metadata, headers });
    const key = `${unique()}.webp`;
    await store.put({ ...put, key });
    const before = await answered(store, key);
    const { version } = store.row.told(before);
    const kept = await store.kept(key, before);
    const condition = { is: "version", version: version ?? "" } as const;
    const replacing = { ...put, bytes: new TextEncoder().encode("smaller"), key, kept, mark: "1.c.d" };
    await store.put({ ...replacing, condition });
    const after = await answered(store, key);
    expect(after.get("cache-control")).toBe("max-age=60");
    expect(store.row.told(after)).toMatchObject({ mark: "1.c.d" });
    expect(store.row.told(after).version).not.toBe(version);
    const again = await store.kept(key, after);
    expect([...again]).toEqual([...kept]);
    const late = await store.put({ ...replacing, condition }).catch((error: unknown) => error);
    expect(late instanceof StoreError && late.isConflict).toBe(true);
    expect([...(await answered(store, key))]).toEqual(expect.arrayContaining([["cache-control", "max-age=60"]]));
  });

  it.runIf(compares)("takes nothing under a condition that cannot hold, and takes objects away", async () => {
    const store = await opened({ ...members, [bucket]: "pictures" });
    const key = `${unique()}/a b+ü.webp`;
    const never = { ...put, key, condition: { is: "never" } } as const;
    const fresh = await store.put(never).catch((error: unknown) => error);
    expect(fresh instanceof StoreError && (fresh.isConflict || fresh.answered === 404)).toBe(true);
    await store.put({ ...put, key });
    const known = await store.put(never).catch((error: unknown) => error);
    expect(known instanceof StoreError && known.isConflict).toBe(true);
    await store.remove(key);
    const { url, headers } = await store.read(key);
    expect((await fetch(url, { headers })).status).toBe(404);
    await store.remove(key);
  });

  it("says that a store asks for time", async () => {
    const store = await opened({ ...members, [bucket]: "fails-always" });
    const error = await store.put({ ...put, key: "a.webp" }).catch((thrown: unknown) => thrown);
    expect(error instanceof StoreError && error.isBusy).toBe(true);
  });
});

describe("an object of S3 that is replaced", () => {
  it("keeps its tags, its class and who may read it", async () => {
    const store = await opened({
      provider: "aws",
      ...S3_KEYS,
      region: "eu-central-1",
      bucket: "pictures",
      class: "standard-ia",
      tags: { "a key": "b&c", two: "2" },
    });
    const key = `${unique()}.webp`;
    await store.put({ ...put, key });
    const kept = await store.kept(key, await answered(store, key));
    expect(Object.fromEntries(kept)).toMatchObject({
      "x-amz-tagging": "a%20key=b%26c&two=2",
      "x-amz-storage-class": "STANDARD_IA",
      "x-amz-grant-read": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"',
      "x-amz-grant-full-control": 'id="me"',
    });
  });
});
