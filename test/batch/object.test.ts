/** One object of a batch: what is never written, whatever its store does. */
import { env } from "cloudflare:workers";
import { describe, expect, it, vi } from "vitest";

import { markText } from "../../src/batch/mark.ts";
import { type ObjectPorts, type ObjectStore, type ObjectWrite, outcomeOf, workOn } from "../../src/batch/object.ts";
import { objectStoreOf } from "../../src/batch/stores.ts";
import { settingsOf } from "../../src/env.ts";
import { StoreError } from "../../src/storage/session.ts";
import { type OpenStore, openStore } from "../../src/storage/store.ts";
import { BATCH } from "../support/batch-simulation.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";

/** A store of one object that takes every write, whatever its condition is, and one that compares. */
function storeOf(answered: Record<string, string>, isHonest: boolean) {
  const writes: ObjectWrite[] = [];
  const removed: string[] = [];
  const memory = { grow: async () => undefined, shrink: () => undefined, release: () => undefined } as never;
  const store: ObjectStore = {
    told: (headers) => ({ mark: headers.get("mark") ?? undefined, version: headers.get("etag") ?? undefined }),
    kept: async () => new Headers(),
    read: async (_, isWanted) => {
      const headers = new Headers(answered);
      if (!(await isWanted(headers))) return { answered: headers };
      return { answered: headers, original: { bytes: new Uint8Array(100), name: "a.jpg", memory } };
    },
    put: async (write) => {
      if (isHonest && write.condition.is === "never") return false;
      writes.push(write);
      return true;
    },
    remove: async (key) => void removed.push(key),
  };
  const ports: ObjectPorts = {
    source: store,
    target: store,
    reserve: async () => undefined,
    make: (_, take) => take({ bytes: new Uint8Array(50), mime: "image/jpeg", name: "a.jpg" }),
  };
  return { ports, writes, removed };
}

const claimed = { key: "p/a.jpg", token: "t", batch: BATCH, isProven: false, isHeard: false };

describe("an object in place", () => {
  it("is not touched to find out whether its store compares versions, and what was written for that is gone", async () => {
    const { ports, writes, removed } = storeOf({ etag: "1", "content-type": "image/jpeg" }, false);
    const outcome = await workOn(claimed, ports);
    expect(outcome).toMatchObject({ kind: "halt", error: "batch.store" });
    expect(writes.map(({ key }) => key)).not.toContain(claimed.key);
    expect(removed).toEqual(writes.map(({ key }) => key));
    expect(removed).toHaveLength(1);
  });

  it("is replaced once its store has shown that it compares", async () => {
    const { ports, writes } = storeOf({ etag: "1", "content-type": "image/jpeg" }, true);
    expect(await workOn(claimed, ports)).toEqual({ kind: "done", before: 100, after: 50 });
    expect(writes).toMatchObject([{ key: claimed.key, condition: { is: "version", version: "1" } }]);
  });

  it("that a notification has told of is left alone where a batch has written it, whichever", async () => {
    const mark = markText({ recipe: "r", key: "k", version: "v", batch: "another", before: 100 });
    const { ports, writes } = storeOf({ etag: "1", "content-type": "image/jpeg", mark }, true);
    expect(await workOn({ ...claimed, isHeard: true }, ports)).toEqual({ kind: "own" });
    expect(writes).toEqual([]);
    // One that was listed is to be done by this recipe.
    expect(await workOn(claimed, ports)).toMatchObject({ kind: "done" });
  });

  it.each(["gzip", "br", "aws-chunked,gzip"])(
    "that lies there as %s stays: its result would be served as if it were, too",
    async (coding) => {
      const { ports, writes } = storeOf({ etag: "1", "content-type": "image/jpeg", "content-encoding": coding }, true);
      expect(await workOn(claimed, ports)).toMatchObject({ kind: "failed", error: "batch.object" });
      expect(writes).toEqual([]);
    },
  );
});

describe("a store of a batch", () => {
  const opened = (put: OpenStore["put"]) =>
    objectStoreOf({ row: {}, put, read: async () => expect.unreachable() } as never, settingsOf(env), undefined);
  const write = { bytes: new Uint8Array(1), mime: "image/jpeg", mark: undefined } as const;

  it.each(["p/../q/a.jpg", "./a.jpg", "p/..", "a\ud800.jpg"])("asks for no object of the name %j", async (key) => {
    const store = opened(async () => expect.unreachable());
    const condition = { is: "absent" } as const;
    await expect(store.put({ ...write, key, condition })).rejects.toThrow(/^A name with/);
    await expect(store.read(key, async () => true)).rejects.toThrow(/^A name with/);
  });

  it.each<[string, () => Response]>([
    ["without bytes", () => new Response("")],
    ["that it gives out by a redirect", () => Response.redirect("https://elsewhere.example.com/a.jpg", 302)],
    ["that it says is in the private network", () => Response.redirect("http://169.254.169.254/a.jpg", 307)],
    ["that it says is on this machine", () => Response.redirect("http://127.0.0.1:8787/a.jpg", 308)],
    ["in a coding that is not undone", () => new Response("x", { headers: { "content-encoding": "zstd" } })],
  ])("that has an object %s is well: the object has failed", async (_, answer) => {
    const url = "https://objects.example.com/a.jpg";
    const read: OpenStore["read"] = async () => ({ url, headers: new Headers(), isOpen: true });
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => answer());
    const settings = { ...settingsOf(env), allowPrivateOrigins: false };
    const store = objectStoreOf({ row: {}, read } as never, settings, undefined);
    const error = await store.read("a.jpg", async () => true).catch((thrown: unknown) => thrown);
    const calls = asked.mock.calls.map(([called, options]) => [new Request(called).url, options?.redirect]);
    vi.restoreAllMocks();
    expect(calls).toEqual([[url, "manual"]]);
    expect(error instanceof StoreError).toBe(false);
    expect(outcomeOf(error)).toMatchObject({ kind: "failed", error: "batch.object" });
  });

  it("may say of an object what no header has: it is not replaced, and that is no fault of ours", async () => {
    const grant = "<Grant><Grantee><ID>x&#10;y</ID></Grantee><Permission>READ</Permission></Grant>";
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => new Response(`<Owner><ID>o</ID></Owner>${grant}`));
    const place = { endpoint: "https://s3.example.com", bucket: "pictures", region: "auto" };
    const policy = { providerEndpoints: {}, storeHosts: ["s3.example.com"], allowPrivateOrigins: false };
    const store = openStore({ provider: "s3", ...S3_KEYS, ...place }, { policy, keyfile: undefined });
    const error = await store.kept("a.jpg", new Headers()).catch((thrown: unknown) => thrown);
    vi.restoreAllMocks();
    expect(outcomeOf(error)).toMatchObject({ kind: "failed", error: "store.refused" });
  });

  it("takes 404 for a condition that does not hold, but not where nothing was to be there", async () => {
    const answer = { status: 404, ok: false, headers: new Headers(), text: "" };
    const store = opened(() => Promise.reject<string>(new StoreError("store: s3 answered 404", { answer })));
    const version = { is: "version", version: "1" } as const;
    expect(await store.put({ ...write, key: "a.jpg", condition: version })).toBe(false);
    const refused = store.put({ ...write, key: "a.jpg", condition: { is: "absent" } });
    await expect(refused).rejects.toSatisfy((error: StoreError) => error.answered === 404);
  });
});
