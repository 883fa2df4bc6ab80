/** `reuse` without its edges: a walk through what may happen, and the claims of those who work. */
import { env } from "cloudflare:workers";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

import type { KnownResult } from "../../src/account/known-results.ts";
import { ResultClaims } from "../../src/account/result-claims.ts";
import type { Processing } from "../../src/contract/request.ts";
import { ApiError } from "../../src/errors.ts";
import { REUSE_CLAIM_MS, REUSE_MARGIN_MS } from "../../src/limits/reuse.ts";
import type { Pipeline } from "../../src/pipeline/edges.ts";
import type { Job, Ports, Result } from "../../src/pipeline/job.ts";
import { processOrReuse, type ReusePorts } from "../../src/pipeline/reuse.ts";
import { uuidWith } from "../../src/storage/expiring-uuid.ts";
import { temporaryEnd } from "../../src/storage/volatile.ts";
import { uncounted } from "../support/memory.ts";

const TTL_SECONDS = 3_600;

describe("claims on a result", () => {
  it("are waited for as long as is told, and a lost one no longer than it may live", async () => {
    let now = 0;
    const waits: number[] = [];
    const claims = new ResultClaims(async (milliseconds) => {
      waits.push(milliseconds);
      now += milliseconds;
    });
    const find = (claim: string, waitMs: number) =>
      claims.find(
        "name",
        { claim, waitMs },
        () => undefined,
        () => now,
      );
    await find("lost", 100);
    await find("second", 100);
    expect(waits).toEqual([100]);
    await find("third", REUSE_CLAIM_MS);
    expect(waits).toEqual([100, REUSE_CLAIM_MS - 100]);
    // The third has the claim by now: the lost one ends nothing.
    claims.end("lost");
    await find("fourth", 50);
    expect(waits.at(-1)).toBe(50);
    claims.end("third");
    await find("fifth", 50);
    expect(waits).toHaveLength(3);
  });
});

/** What may happen next: somebody asks, an origin's picture or a connector changes, results vanish, time passes. */
const ask = fc.record({
  account: fc.constantFrom("a" as const, "b" as const),
  from: fc.constantFrom("upload one", "upload one 1", "fetch one", "fetch two"),
  name: fc.constantFrom("x.png", "y.png"),
  width: fc.constantFrom(undefined, 5),
  store: fc.constantFrom(undefined, undefined, "spelled", "saved"),
  /** Several results, the second in the store. */
  several: fc.constantFrom(false, false, true),
  accept: fc.constantFrom(undefined, "image/webp"),
  isNegotiated: fc.boolean(),
  fails: fc.constantFrom(false, false, false, true),
  reuse: fc.constantFrom(true, true, true, undefined),
});
/** Where the same bytes come from, while an origin has its first picture. */
const OTHER_WAY = {
  "upload one": "upload one 1",
  "upload one 1": "fetch one",
  "fetch one": "upload one 1",
  "fetch two": "fetch one",
} as const;
type Asked = typeof ask extends fc.Arbitrary<infer Value> ? Value : never;
const step = fc.oneof(
  { weight: 4, arbitrary: fc.array(ask, { minLength: 1, maxLength: 4 }) },
  // The same as so many asks ago.
  { weight: 6, arbitrary: fc.nat(3) },
  // The same as the last, by an upload of what was fetched, or a fetch of what was sent.
  { weight: 3, arbitrary: fc.constant("crosswise" as const) },
  {
    weight: 2,
    arbitrary: fc.constantFrom("origin", "etag", "connector", "deploy", "delete", "delete one", "minutes", "hours"),
  },
);

function emptyAccount() {
  // Nobody's wait ends before the work that it is for.
  const claims = new ResultClaims(() => new Promise(() => undefined));
  return { known: new Map<string, KnownResult>(), claims, working: new Set<string>() };
}

it("gives out only what the same account had made of the same by the same version, and what is still there", async () => {
  const counts = { reused: 0, worked: 0, waited: 0, crossed: 0 };
  const property = fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
    const world = { now: 1_900_000_000_000, origin: 1, etag: true, connector: 1, engine: 1 };
    const accounts = { a: emptyAccount(), b: emptyAccount() };
    /** What each address was made of, and whether it leads there still. */
    const made = new Map<string, { readonly of: string; isThere: boolean }>();
    const bytesOf = (from: string) => {
      const [kind = "", ...rest] = from.split(" ");
      return [...rest, ...(kind === "fetch" ? [world.origin] : [])].join(" ");
    };
    const one = async (asked: Asked, claim: string) => {
      const { account, from, name, width, store, several, accept, isNegotiated, fails, reuse } = asked;
      const { known, claims, working } = accounts[account];
      const target = store && (store === "saved" ? { id: "AAAAAAAAAA" } : { provider: "s3", path: "p" });
      const processing = {
        ...(width && { resize: { width } }),
        ...(isNegotiated && { output: { format: "auto" } }),
        ...(several ? { outputs: { a: {}, b: { ...(target && { store: target }) } } } : target && { store: target }),
        ...(reuse && { reuse }),
      } as unknown as Processing;
      const original = { bytes: new TextEncoder().encode(bytesOf(from)), name, memory: uncounted };
      const source = from.startsWith("upload")
        ? ({ kind: "upload", original } as const)
        : ({ kind: "fetch", url: `https://o.test/${from}`, headers: {} } as const);
      const meaning = (bytes: string, called: string = name) => {
        const place = store && [store, store === "saved" && world.connector, called];
        return JSON.stringify([
          account,
          bytes,
          width,
          several,
          isNegotiated && accept,
          isNegotiated,
          place,
          world.engine,
        ]);
      };
      const job: Job = { id: "i", accountId: account, source, processing, accept };
      const now = () => world.now;
      /** The names that this one has claimed. */
      const claimed = new Set<string>();
      const reusePorts: ReusePorts = {
        engine: String(world.engine),
        baseUrl: "https://d.test",
        now,
        recall: async (wanted) => {
          const isKnown = known.has(wanted);
          const found = await claims.find(wanted, { claim, waitMs: REUSE_CLAIM_MS }, () => known.get(wanted), now);
          if (found && !isKnown) counts.waited += 1;
          if (!found) claimed.add(wanted);
          return found;
        },
        isThere: async (address) => made.get(address)?.isThere === true,
        connectorOf: async () => ({ bucket: world.connector }),
        readIfChanged: async (_, { etag }) => {
          const current = world.etag ? { etag: `"${world.origin}"` } : {};
          if (etag !== undefined && etag === current.etag) return null;
          return { original: { ...original, bytes: new TextEncoder().encode(bytesOf(from)) }, validators: current };
        },
      };
      const make = async (order: Job, ports: Ports, isStored: boolean): Promise<string> => {
        const { bytes } = await ports.readOriginal(order.source);
        const end = Math.floor(world.now / 1000) + TTL_SECONDS;
        const address = isStored ? `https://s.test/${made.size}` : `https://d.test/temp/${uuidWith(end)}/x.png`;
        made.set(address, { of: meaning(new TextDecoder().decode(bytes)), isThere: true });
        return address;
      };
      /** Equal requests never work at the same time. */
      const alone = async <Made>(work: () => Promise<Made>): Promise<Made> => {
        for (const one of claimed) expect(working.has(one)).toBe(false);
        for (const one of claimed) working.add(one);
        try {
          await Promise.resolve();
          if (fails) throw new ApiError(422, "The image is damaged");
          return await work();
        } finally {
          for (const one of claimed) working.delete(one);
        }
      };
      const work: Pick<Pipeline, "process"> = {
        process: (order, ports) =>
          alone(async () => {
            const names = order.processing.outputs ? ["a", "b"] : [""];
            const outputs: object[] = [];
            for (const name of names) {
              const isStored = name !== "a" && store !== undefined;
              outputs.push({ name, output: { url: await make(order, ports, isStored) } });
            }
            return { input: {}, outputs } as unknown as Result;
          }),
      };
      const ports = { readOriginal: async () => ({ ...original }) } as unknown as Ports;
      const outcome = await processOrReuse(work, job, ports, reusePorts).catch((error: unknown) => {
        claims.end(claim);
        if (!(error instanceof ApiError)) throw error;
      });
      if (!outcome) return;
      const { answer, isReused, named } = outcome;
      if (isReused) {
        claims.end(claim);
        counts.reused += 1;
        counts.crossed += source.kind === "fetch" && claimed.size > 0 ? 1 : 0;
        expect(reuse).toBe(true);
        for (const { url: address, reused } of "output" in answer ? [answer.output] : Object.values(answer.outputs)) {
          expect(reused).toBe(true);
          const { of, isThere } = made.get(address) ?? {};
          // One address leads to files of one name, and the bytes to those of others: whose name it has does not matter
          // here.
          const names = source.kind === "fetch" ? (["x.png", "y.png"] as const) : [name];
          expect(names.map((called) => meaning(bytesOf(from), called))).toContain(of);
          const end = temporaryEnd(address, world.now);
          if (end === undefined) continue;
          expect(isThere).toBe(true);
          expect(end - world.now).toBeGreaterThan(REUSE_MARGIN_MS - 1_000);
        }
        return;
      }
      counts.worked += 1;
      expect(reuse === undefined && named !== undefined).toBe(false);
      for (const found of [named?.known, named?.knownByBytes]) if (found) known.set(found.name, found.result);
      claims.end(claim);
    };
    const asks: Asked[] = [];
    for (const event of steps) {
      const last = event === "crosswise" ? asks.at(-1) : undefined;
      const crossed = last && { ...last, from: OTHER_WAY[last.from] };
      const again = typeof event === "number" ? asks.at(-1 - event) : crossed;
      const now = Array.isArray(event) ? event : again ? [again, again] : [];
      asks.push(...now);
      await Promise.all(now.map((asked, index) => one(asked, `${index}`)));
      if (typeof event !== "string" || event === "crosswise") continue;
      if (event === "origin") world.origin += 1;
      else if (event === "etag") world.etag = !world.etag;
      else if (event === "connector") world.connector += 1;
      else if (event === "deploy") world.engine += 1;
      else if (event === "delete") for (const result of made.values()) result.isThere = false;
      else if (event === "delete one") for (const result of [...made.values()].slice(-1)) result.isThere = false;
      else world.now += event === "minutes" ? 600_000 : 7_200_000;
    }
  });
  await fc.assert(property, { numRuns: Number(env.MODEL_RUNS) * 20 });
  // All of it happens often, or the walk has shown nothing.
  expect(Math.min(counts.reused, counts.worked, 5 * counts.waited, 20 * counts.crossed)).toBeGreaterThan(
    Number(env.MODEL_RUNS),
  );
});
