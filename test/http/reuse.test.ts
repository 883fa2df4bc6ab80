/** `reuse`: what an account had done before is not done again, and costs nothing. */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { KnownResult } from "../../src/account/known-results.ts";
import type { Processing } from "../../src/contract/request.ts";
import { engineVersion } from "../../src/env.ts";
import { REUSE_MARGIN_MS, STORED_RESULT_KEPT_MS } from "../../src/limits.ts";
import { uuidWith } from "../../src/storage/expiring-uuid.ts";
import { keepTemporarily, temporaryEnd } from "../../src/storage/volatile.ts";
import { type Street, street } from "../../src/street/edges.ts";
import type { Job, Ports, Result } from "../../src/street/process.ts";
import { processOrReuse, type ReusePorts } from "../../src/street/reuse.ts";
import { openAccount } from "../support/accounts.ts";
import { apiOf, type Call } from "../support/api.ts";
import { uncounted } from "../support/memory.ts";
import { brokenStreet, shortStreet } from "../support/street.ts";
import { receiver, untilStatus } from "../support/webhooks.ts";

const TTL_SECONDS = 3_600;
const url = "https://images.test/a.png";

let key = "";
let meter: ReturnType<typeof env.METER.getByName>;
let jobs: object[] = [];
beforeEach(async () => {
  const opened = await openAccount(50);
  ({ key } = opened);
  meter = env.METER.getByName(`account:${opened.account.id}`);
  jobs = [];
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Keeps results in the real storage, and notes what it does. */
const counting: Street = {
  ...shortStreet,
  portsOf: (bindings, settings, baseUrl, database) => ({
    ...shortStreet.portsOf(bindings, settings, baseUrl, database),
    readOriginal: street.portsOf(bindings, settings, baseUrl, database).readOriginal,
    keepTemporarily: (encoded) =>
      keepTemporarily(env.BUCKET, { baseUrl, ttlSeconds: TTL_SECONDS }, encoded, Date.now()),
  }),
  process: async (job, ports) => {
    jobs.push(job.processing);
    return shortStreet.process(job, ports);
  },
};
const call = apiOf(counting);

function upload(
  data: object = {},
  { name = "a.png", bytes = "picture", ...more }: Call & { name?: string; bytes?: string } = {},
) {
  const body = new FormData();
  body.set("file", new File([bytes], name));
  body.set("data", JSON.stringify({ reuse: true, ...data }));
  return call("POST", "/1.0/upload", { key, body, ...more });
}
const fetchImage = (data: object = {}, more: Call = {}) =>
  call("POST", "/1.0/fetch", { key, json: { url, reuse: true, ...data }, ...more });
const used = async () => (await call("GET", "/1.0/account", { key })).body.credits.used as number;
const results = () =>
  runInDurableObject(meter, (_, { storage }) => {
    const [table] = storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'results'");
    return table ? storage.sql.exec("SELECT * FROM results").toArray() : [];
  });

describe("an upload with reuse", () => {
  it("gives the result of the same bytes and the same request, whatever their name and its order, at no cost", async () => {
    const first = await upload({ resize: { width: 5, height: 4 }, flip: { vertical: true } });
    expect(first.body.output).not.toHaveProperty("reused");
    const again = await upload({ flip: { vertical: true }, resize: { height: 4, width: 5 } }, { name: "b.png" });
    expect(again.body).toEqual({
      ...first.body,
      id: again.body.id,
      input: { ...first.body.input, name: "b.png" },
      output: { ...first.body.output, reused: true },
    });
    expect(again.body.id).not.toBe(first.body.id);
    expect(jobs).toHaveLength(1);
    expect(await used()).toBe(1);
    const { total } = (await call("GET", "/1.0/account/usage", { key })).body;
    expect(total).toMatchObject({ pictures: 1, credits: 1, errors: 0 });
  });

  it("is worked for with other bytes, another request, another account, and without the member", async () => {
    await upload();
    await upload({}, { bytes: "another" });
    await upload({ resize: { width: 5 } });
    await upload({}, { key: (await openAccount()).key });
    await upload({ reuse: false });
    await upload({}, { base: "https://other.test" });
    expect(jobs).toHaveLength(6);
    expect((await upload()).body.output.reused).toBe(true);
  });

  it("is worked for by another version of the service", async () => {
    expect(engineVersion(env)).not.toBe("");
    await upload();
    await upload({}, { env: { VERSION: { id: "next", tag: "", timestamp: "" } } });
    expect(jobs).toHaveLength(2);
  });

  it("is worked for with another Accept where that chooses the format, and not otherwise", async () => {
    const accept = (data: object, value: string) => upload(data, { headers: { accept: value } });
    await accept({ output: { format: "auto" } }, "image/webp");
    await accept({ output: { format: "auto" } }, "image/avif");
    expect(jobs).toHaveLength(2);
    await accept({}, "image/webp");
    await accept({}, "image/avif");
    expect(jobs).toHaveLength(3);
  });

  it("is worked for again when the result is gone, or has little time left", async () => {
    await upload();
    await env.BUCKET.delete((await env.BUCKET.list()).objects.map((object) => object.key));
    expect((await upload()).body.output).not.toHaveProperty("reused");
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + TTL_SECONDS * 1000 - REUSE_MARGIN_MS - 2_000);
    expect((await upload()).body.output.reused).toBe(true);
    vi.setSystemTime(Date.now() + 2_000);
    expect((await upload()).body.output).not.toHaveProperty("reused");
    expect(jobs).toHaveLength(3);
    expect(await results()).toHaveLength(1);
    vi.setSystemTime(Date.now() + TTL_SECONDS * 1000);
    await runDurableObjectAlarm(meter);
    expect(await results()).toEqual([]);
  });

  it("gives its bytes in binary mode", async () => {
    await upload();
    const { status, bytes, body } = await upload({ response: { mode: "binary" } });
    expect([status, new TextDecoder().decode(bytes), body.output.reused]).toEqual([200, "picture", true]);
    expect(jobs).toHaveLength(1);
  });

  it("is given a stored result again only for the same object of the same store, for a day", async () => {
    const store = { provider: "aws", key: "k", secret: "s", bucket: "pictures", region: "eu-west-1", path: "a" };
    const connector = { name: "c", ...store };
    const made = await call("POST", "/1.0/connectors", { key, json: connector });
    const { id } = made.body.connector;
    for (const round of [1, 2]) {
      for (const data of [{ store }, { store: { ...store, path: "b" } }, { store: { id } }]) {
        expect((await upload(data)).body.output.reused).toBe(round === 1 ? undefined : true);
      }
    }
    expect((await upload({ store }, { name: "b.png" })).body.output.reused).toBeUndefined();
    await call("PATCH", `/1.0/connectors/${id}`, { key, json: { bucket: "others" } });
    expect((await upload({ store: { id } })).body.output.reused).toBeUndefined();
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(Date.now() + STORED_RESULT_KEPT_MS);
    expect((await upload({ store })).body.output.reused).toBeUndefined();
  });

  it("does not remember what failed, and is worked for where the meter does not recall", async () => {
    const body = new FormData();
    body.set("file", new File(["picture"], "a.png"));
    body.set("data", '{"reuse": true}');
    await apiOf(brokenStreet(new Error("ours")))("POST", "/1.0/upload", { key, body });
    expect(await results()).toEqual([]);
    await upload();
    const { METER } = meters({ recall: () => Promise.reject(new Error("overloaded")) });
    expect((await upload({}, { env: { METER } })).body.output).not.toHaveProperty("reused");
  });

  it("asks the meter once more with the member, and not without", async () => {
    const { METER, asked } = meters();
    await upload({ reuse: false }, { env: { METER } });
    expect(asked.splice(0)).toEqual(["take", "settle"]);
    await upload({}, { env: { METER } });
    expect(asked.splice(0)).toEqual(["take", "recall", "settle"]);
    await upload({}, { env: { METER } });
    expect(asked).toEqual(["take", "recall", "release"]);
  });

  it("with a webhook is notified of the earlier result, and its credit given back", async () => {
    const target = receiver();
    await upload();
    const { body } = await upload({ webhook: { url: target.url } });
    await untilStatus(body.id, "delivered");
    const [notification] = await target.received(1);
    expect(JSON.parse(notification?.body ?? "").output.reused).toBe(true);
    expect(jobs).toHaveLength(1);
    await vi.waitFor(async () => expect(await used()).toBe(1));
  });

  it("is remembered by a job with a webhook", async () => {
    const { body } = await upload({ webhook: { url: receiver().url } });
    await untilStatus(body.id, "delivered");
    await vi.waitFor(async () => expect(await results()).toHaveLength(1));
    expect((await upload()).body.output.reused).toBe(true);
  });
});

/** The real meters, but for some methods; what they are asked is noted. */
function meters(others: Record<string, () => unknown> = {}) {
  const asked: string[] = [];
  const methodsOf = (stub: Record<string, (...values: unknown[]) => unknown>) =>
    ["take", "settle", "release", "recall"].map((name) => {
      const method = (...values: unknown[]) => {
        asked.push(name);
        return others[name] ? others[name]() : stub[name]?.(...values);
      };
      return [name, method] as const;
    });
  const getByName = (name: string) => Object.fromEntries(methodsOf(env.METER.getByName(name) as never));
  return { METER: { getByName }, asked };
}

describe("a fetch with reuse", () => {
  /** An origin with one picture; what it was asked is noted. */
  function originOf(picture: { bytes: string; etag?: string; modified?: string }) {
    const asked: (string | null)[] = [];
    vi.spyOn(globalThis, "fetch").mockImplementation(async (_, init) => {
      const headers = new Headers(init?.headers);
      const condition = headers.get("if-none-match") ?? headers.get("if-modified-since");
      asked.push(condition);
      if (condition !== null && condition === (picture.etag ?? picture.modified)) {
        return new Response(null, { status: 304 });
      }
      const said = {
        ...(picture.etag && { etag: picture.etag }),
        ...(picture.modified && { "last-modified": picture.modified }),
      };
      return new Response(picture.bytes, { headers: said });
    });
    return { asked, picture };
  }

  it.each([{ etag: '"one"' }, { modified: "Fri, 20 Nov 2026 12:00:00 GMT" }])(
    "asks the origin whether the picture has changed by %j",
    async (said) => {
      const { asked } = originOf({ bytes: "picture", ...said });
      await fetchImage();
      const again = await fetchImage();
      expect(asked).toEqual([null, ...Object.values(said)]);
      expect(again.body.output.reused).toBe(true);
      expect(jobs).toHaveLength(1);
      expect(await used()).toBe(1);
    },
  );

  it("compares the bytes where the origin says nothing, or something else of the same ones", async () => {
    const { picture } = originOf({ bytes: "picture" });
    await fetchImage();
    expect((await fetchImage()).body.output.reused).toBe(true);
    picture.etag = '"one"';
    expect((await fetchImage()).body.output.reused).toBe(true);
    picture.bytes = "another";
    picture.etag = '"two"';
    expect((await fetchImage()).body.output).not.toHaveProperty("reused");
    expect((await fetchImage()).body.output.reused).toBe(true);
    expect(jobs).toHaveLength(2);
  });

  it("is worked for with other headers, and leaves a caller's own conditions alone", async () => {
    const { asked } = originOf({ bytes: "picture", etag: '"one"' });
    await fetchImage();
    await fetchImage({ headers: { cookie: "a=b" } });
    expect(jobs).toHaveLength(2);
    const own = { headers: { "if-none-match": '"one"' } };
    expect((await fetchImage(own)).body.message).toContain("304");
    expect(asked.at(-1)).toBe('"one"');
  });
});

/** What may happen next: somebody asks, an origin's picture or a connector changes, results vanish, time passes. */
const ask = fc.record({
  account: fc.constantFrom("a", "b"),
  from: fc.constantFrom("upload one", "upload two", "fetch one", "fetch two"),
  name: fc.constantFrom("x.png", "y.png"),
  width: fc.constantFrom(undefined, 5),
  store: fc.constantFrom(undefined, undefined, "spelled", "saved"),
  accept: fc.constantFrom(undefined, "image/webp"),
  isNegotiated: fc.boolean(),
  reuse: fc.constantFrom(true, true, true, undefined),
});
type Asked = typeof ask extends fc.Arbitrary<infer Value> ? Value : never;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(ask, { minLength: 1, maxLength: 4 }) },
  // The same as so many asks ago.
  { weight: 6, arbitrary: fc.nat(3) },
  { weight: 2, arbitrary: fc.constantFrom("origin", "etag", "connector", "deploy", "delete", "minutes", "hours") },
);

it("gives out only what the same account had made of the same by the same version, and what is still there", async () => {
  const counts = { reused: 0, worked: 0 };
  const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    const world = { now: 1_900_000_000_000, origin: 1, etag: true, connector: 1, engine: 1 };
    const remembered = new Map<string, Map<string, KnownResult>>();
    /** What each address was made of, and whether it leads there still. */
    const made = new Map<string, { readonly of: string; isThere: boolean }>();
    const bytesOf = (from: string) => (from.startsWith("upload") ? from : `${from} ${world.origin}`);
    const one = async ({ account, from, name, width, store, accept, isNegotiated, reuse }: Asked) => {
      const known = remembered.get(account) ?? new Map<string, KnownResult>();
      remembered.set(account, known);
      const processing = {
        ...(width && { resize: { width } }),
        ...(isNegotiated && { output: { format: "auto" } }),
        ...(store && { store: store === "saved" ? { id: "AAAAAAAAAA" } : { provider: "s3", path: "p" } }),
        ...(reuse && { reuse }),
      } as unknown as Processing;
      const original = { bytes: new TextEncoder().encode(bytesOf(from)), name, memory: uncounted };
      const source = from.startsWith("upload")
        ? ({ kind: "upload", original } as const)
        : ({ kind: "fetch", url: `https://o.test/${from}`, headers: {} } as const);
      const target = store && [store, store === "saved" && world.connector, source.kind === "upload" && name];
      const meaning = (bytes: string) =>
        JSON.stringify([account, bytes, width, isNegotiated && accept, isNegotiated, target, world.engine]);
      const job: Job = { id: "i", accountId: account, source, processing, accept };
      const now = () => world.now;
      const reusePorts: ReusePorts = {
        engine: String(world.engine),
        baseUrl: "https://d.test",
        now,
        recall: async (wanted) => known.get(wanted),
        isThere: async (address) =>
          temporaryEnd(address, world.now) !== undefined && made.get(address)?.isThere === true,
        connectorOf: async () => ({ bucket: world.connector }),
        readIfChanged: async (_, { etag }) => {
          const current = world.etag ? { etag: `"${world.origin}"` } : {};
          if (etag !== undefined && etag === current.etag) return null;
          return { original: { ...original, bytes: new TextEncoder().encode(bytesOf(from)) }, validators: current };
        },
      };
      const work: Pick<Street, "process"> = {
        process: async (order, ports) => {
          const { bytes } = await ports.readOriginal(order.source);
          const end = Math.floor(world.now / 1000) + TTL_SECONDS;
          const address = store ? `https://s.test/${made.size}` : `https://d.test/temp/${uuidWith(end)}/x.png`;
          made.set(address, { of: meaning(new TextDecoder().decode(bytes)), isThere: true });
          return { input: {}, output: { url: address } } as unknown as Result;
        },
      };
      const ports = { readOriginal: async () => ({ ...original }) } as unknown as Ports;
      const outcome = await processOrReuse(work, job, ports, reusePorts);
      if (outcome.reused) {
        counts.reused += 1;
        const { url: address, reused } = outcome.reused.output;
        expect([reuse, reused]).toEqual([true, true]);
        expect(made.get(address)?.of).toBe(meaning(bytesOf(from)));
        if (!store) {
          expect(made.get(address)?.isThere).toBe(true);
          expect((temporaryEnd(address, world.now) ?? 0) - world.now).toBeGreaterThan(REUSE_MARGIN_MS - 1_000);
        }
        return;
      }
      counts.worked += 1;
      expect(reuse === undefined && outcome.known !== undefined).toBe(false);
      if (outcome.known) known.set(outcome.known.name, outcome.known.result);
    };
    const asks: Asked[] = [];
    for (const event of steps) {
      const again = typeof event === "number" ? asks.at(-1 - event) : undefined;
      const now = Array.isArray(event) ? event : again ? [again, again] : [];
      asks.push(...now);
      await Promise.all(now.map(one));
      if (typeof event !== "string") continue;
      if (event === "origin") world.origin += 1;
      else if (event === "etag") world.etag = !world.etag;
      else if (event === "connector") world.connector += 1;
      else if (event === "deploy") world.engine += 1;
      else if (event === "delete") for (const result of made.values()) result.isThere = false;
      else world.now += event === "minutes" ? 600_000 : 7_200_000;
    }
  });
  await fc.assert(property, { numRuns: Number(env.MODEL_RUNS) * 20 });
  // Both happen often, or the walk has shown nothing.
  expect(Math.min(counts.reused, counts.worked)).toBeGreaterThan(Number(env.MODEL_RUNS));
});
