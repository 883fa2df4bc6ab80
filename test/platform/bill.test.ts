/**
 * Each route takes what the tables of costs say: a change that adds a call, a row or a line fails by the route's name.
 */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import {
  ARRIVALS,
  billOf,
  DELIVERY,
  dollarsBesideCpu,
  dollarsPerMillion,
  IDLE_MONTH,
  meteredAs,
  MONTHS,
  PLAN_DOLLARS,
  platformOf,
  ROUTES,
  usedIn,
} from "../../src/docs/figures.ts";
import { MAX_BLOCK_REQUESTS, USAGE_HISTORY_DAYS, USAGE_WRITE_INTERVAL_MS } from "../../src/limits/accounts.ts";
import {
  DEFAULT_DELIVERY_TTL_SECONDS,
  DEFAULT_HIT_SAMPLE,
  RESULT_MARK_MS,
  RESULT_SWEEP_MS,
} from "../../src/limits/delivery.ts";
import type { Usage } from "./bill.ts";
import { onPlatform, type Platform } from "./platform.ts";
import { HOOK, PREFIX, site, type Site, web } from "./site.ts";

const MARKED_AFTER_MS = RESULT_MARK_MS + 1;
const DAY_MS = 86_400_000;
/** Between two copies of an account's usage. */
const SPELL_MS = USAGE_WRITE_INTERVAL_MS + 1;
/** Gigabytes for which an object is billed while it is awake. */
const OBJECT_GB = 0.128;

/** As most deployments have it. */
const ONE_DATABASE = { DB_1: undefined, DB_2: undefined };

/** How a route is walked: what comes before, and what is counted. */
interface Walk {
  readonly before?: (site: Site, platform: Platform) => Promise<unknown>;
  readonly walk: (site: Site, platform: Platform) => Promise<unknown>;
  /** So many of its rows are written by one in DEFAULT_HIT_SAMPLE. */
  readonly sampled?: number;
}

const SMALL = { resize: { width: 24 } };
/** After `ttl` has passed, and after a result is so old that it is marked. */
const RENEWED_AFTER_MS = DEFAULT_DELIVERY_TTL_SECONDS * 1_000 + 1;
const anonymousClient = (address: string) => ({ "cf-connecting-ip": address });

/** A picture whose final is there, and which the place has forgotten. */
async function made({ see }: Site, platform: Platform): Promise<void> {
  await see("a.jpg");
  await platform.settle();
  await platform.drain();
  platform.edge.clear();
}

/** All that comes of an accepted job, its alarm included. */
async function job({ upload }: Site, platform: Platform): Promise<void> {
  await upload({ ...SMALL, webhook: { url: HOOK } });
  await platform.settle();
  await platform.drain();
  await platform.objects.ring(1, "COURIER");
}

const WALKS: Readonly<Record<keyof typeof ROUTES, Walk>> = {
  upload: { walk: ({ upload }) => upload(SMALL) },
  uploadBytesAlone: { walk: ({ upload }) => upload({ ...SMALL, response: { mode: "binary", keep: false } }) },
  runOfBytesAlone: {
    walk: async ({ upload }) => {
      for (let picture = 0; picture < MAX_BLOCK_REQUESTS; picture += 1)
        await upload({ ...SMALL, response: { mode: "binary", keep: false } });
    },
  },
  uploadBytes: { walk: ({ upload }) => upload({ ...SMALL, response: { mode: "binary" } }) },
  fetch: { walk: ({ post }) => post("/1.0/fetch", { url: `${PREFIX}a.jpg`, ...SMALL }) },
  uploadLook: { walk: ({ upload }) => upload({ ...SMALL, analyze: ["phash"] }) },
  similar: { walk: ({ get }) => get("/1.0/similar?phash=0123456789abcdef") },
  setOfThree: {
    walk: ({ upload }) => upload({ outputs: { a: SMALL, b: { resize: { width: 16 } }, c: { resize: { width: 8 } } } }),
  },
  refusal: { walk: ({ post }) => post("/1.0/fetch", { url: `${PREFIX}a.jpg`, resize: { width: -1 } }) },
  download: {
    walk: async ({ get, upload }, platform) => {
      const { body } = await upload(SMALL);
      await platform.settle();
      platform.used();
      await get((body as { output: { url: string } }).output.url);
    },
  },
  account: { walk: ({ get }) => get("/1.0/account") },
  accountSpell: {
    before: async ({ upload }, platform) => {
      await upload(SMALL);
      await platform.settle();
      await platform.objects.ring(1, "METER");
      platform.time.pass(SPELL_MS);
      await upload(SMALL);
    },
    walk: (_, { objects }) => objects.ring(1, "METER"),
  },
  health: { walk: ({ get }) => get("/health", {}) },
  metrics: { walk: ({ get }) => get("/metrics", { authorization: "Bearer admin-token-for-tests" }) },
  anonymousClient: { walk: ({ get }) => get("/wp-admin.php", anonymousClient("192.0.2.1")) },
  strangeKey: {
    walk: ({ get }) => get("/1.0/account", { authorization: "Bearer nonsense", ...anonymousClient("192.0.2.2") }),
  },
  job: { walk: job },
  draft: { sampled: 1, walk: ({ see }) => see("a.jpg") },
  final: {
    before: ({ see }) => see("a.jpg"),
    walk: (_, platform) => platform.drain(),
  },
  edgeHit: {
    sampled: 1,
    before: async (one, platform) => {
      await made(one, platform);
      await one.see("a.jpg");
    },
    walk: ({ see }) => see("a.jpg"),
  },
  storedHit: { sampled: 1, before: made, walk: ({ see }) => see("a.jpg") },
  renewedHit: {
    sampled: 1,
    before: async (one, platform) => {
      await made(one, platform);
      platform.time.pass(RENEWED_AFTER_MS);
      await one.see("other.jpg");
    },
    walk: ({ see }) => see("a.jpg"),
  },
  markedHit: {
    sampled: 1,
    before: async (one, platform) => {
      await made(one, platform);
      platform.time.pass(MARKED_AFTER_MS);
      await one.see("other.jpg");
    },
    walk: ({ see }) => see("a.jpg"),
  },
  cronMinute: {
    // What other walks have left undone is done first, and nothing is there that has to be looked for.
    before: async (_, platform) => {
      await platform.strike();
      await platform.drain();
      await platform.strike();
    },
    walk: (_, platform) => platform.strike(),
  },
  cronAfterRest: {
    // Whatever other walks have left behind is so old by then that it is deleted. Of two tables a sweep looks at some rows
    // from anywhere on, and would come to these in the walk or not.
    before: async (_, platform) => {
      for (let strike = 0; strike < 3; strike += 1) {
        platform.time.pass(USAGE_HISTORY_DAYS * DAY_MS);
        await platform.strike();
        await platform.drain();
      }
      await platform.strike();
      await env.DB.batch(["alike_looks", "delivery_twins"].map((table) => env.DB.prepare(`DELETE FROM ${table}`)));
      platform.time.pass(RESULT_SWEEP_MS + 1);
    },
    walk: (_, platform) => platform.strike(),
  },
  purge: { before: made, walk: ({ purge }) => purge({}) },
  purgeOfOne: { before: made, walk: ({ purge }) => purge({ source: `${PREFIX}a.jpg` }) },
};

/** The pieces of the bill that figures name; seconds awake are gigabyte-seconds there. */
function figuresOf({ awakeSeconds, rows, ...used }: Usage, sampled: number) {
  const counted = rows - sampled + sampled / DEFAULT_HIT_SAMPLE;
  return { ...used, rows: counted, gbSeconds: Math.round(awakeSeconds) * OBJECT_GB, cpuMs: 0 };
}

describe("a million of each takes what the tables of costs say", () => {
  it.each(Object.keys(ROUTES) as (keyof typeof ROUTES)[])("%s", (name) =>
    onPlatform({ web, variables: ONE_DATABASE }, async (platform) => {
      const one = await site(platform);
      const { before, walk, sampled = 0 } = WALKS[name];
      // The isolate learns the key and the delivery, and the account is no new one.
      await one.get("/1.0/account");
      await one.see("known.jpg", "image/*");
      await platform.settle();
      await platform.drain();
      await before?.(one, platform);
      await platform.settle();
      // Objects lose their memory ten seconds after their last call.
      platform.time.pass(15_000);
      await platform.objects.evict();
      platform.used();
      await walk(one, platform);
      await platform.settle();
      const calls = platform.bill.calls.join(" ");
      expect(figuresOf(platform.used(), sampled), calls).toEqual(ROUTES[name]);
    }),
  );
});

describe("what a month may cost at most, in dollars", () => {
  it.each([
    ["Blog", 6],
    ["Shop", 45],
    ["Shop, cache in front", 40],
    ["Platform", 480],
  ])("%s: %d", (name, most) => {
    const month = MONTHS.find((one) => one.name === name);
    expect(month && billOf(month).total).toBeLessThanOrEqual(most);
  });

  it.each([
    ["at any hour, each to another isolate", 475, 0.9],
    ["at any hour, to four isolates", 465, 0.8],
    ["at any hour, to one isolate", 460, 0.7],
    ["in hours of work, to four isolates", 460, 0.55],
    ["in hours of work, to one isolate", 460, 0.45],
  ])("the platform where pictures come %s: %d, and %f beside CPU for a million as bytes", (says, month, million) => {
    const arrival = ARRIVALS.find((one) => one.says === says);
    if (!arrival) throw new Error(`Nothing comes ${says}`);
    expect(billOf(platformOf(arrival)).total).toBeLessThanOrEqual(month);
    const alone = { name: says, ...meteredAs(ROUTES.uploadBytesAlone, arrival) };
    expect(dollarsBesideCpu(alone)).toBeLessThanOrEqual(million);
  });

  it("a month without requests takes nothing beyond the plan, and a hundredth of the writes that are included", () => {
    const { total } = billOf(IDLE_MONTH);
    expect([total, usedIn(IDLE_MONTH).writes <= 15_000]).toEqual([PLAN_DOLLARS, true]);
  });
});

it("a job with a webhook writes at most ten rows of the database", () => {
  expect(ROUTES.job.rows).toBeLessThanOrEqual(10);
});

it("a million hits of the cache in front are $0.30, and nothing else", () => {
  const { name: _, ...taken } = DELIVERY.frontHit;
  expect(Object.entries(taken).filter(([, amount]) => amount > 0)).toEqual([["requests", 1]]);
  expect(dollarsPerMillion(DELIVERY.frontHit)).toBe(0.3);
});

it("a million pairs of a draft and its final in AVIF take at most $15 beside processor time", () => {
  expect(dollarsBesideCpu(DELIVERY.draft) + dollarsBesideCpu(DELIVERY.finalAvif)).toBeLessThanOrEqual(15);
});
