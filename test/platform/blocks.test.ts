/** Requests of an account in blocks: what they cost, and that no credit is lost or doubled. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { inBlocksOf, picturesInABlock, ROUTES } from "../../src/docs/figures.ts";
import { CREDIT_LEASE_SECONDS, DEFAULT_METER_BLOCK_SECONDS, MAX_BLOCK_REQUESTS } from "../../src/limits.ts";
import type { Around } from "../support/around.ts";
import { randomOf } from "../support/event-queue.ts";
import { type Answered, onPlatform, type Platform } from "./platform.ts";
import { type Site, site, web } from "./site.ts";

const BYTES = { resize: { width: 24 }, response: { mode: "binary", keep: false } };
const BLOCK_MS = DEFAULT_METER_BLOCK_SECONDS * 1_000;

async function creditsOf({ get }: Site): Promise<number> {
  const { body } = await get("/1.0/account");
  return (body as { readonly credits: { readonly used: number } }).credits.used;
}

/** Credits that are reserved: so many more than are spent does an account need that one more may be had. */
async function reservedBy(one: Site): Promise<number> {
  const used = await creditsOf(one);
  const meter = env.METER.getByName(`account:${one.account.id}`);
  for (let reserved = 0; ; reserved += 1) {
    const ask = { key: "another", limit: 1_000, account: one.account.id, creditsTotal: used + reserved + 1 };
    const { lease } = await meter.take(ask);
    if (lease === undefined) continue;
    await meter.release(lease);
    return reserved;
  }
}

/** So many pictures one after another. */
async function run({ upload }: Site, pictures: number, data: object = BYTES): Promise<Answered[]> {
  const answers: Answered[] = [];
  for (let picture = 0; picture < pictures; picture += 1) answers.push(await upload(data));
  return answers;
}

/** After a first picture, by which the account's meter is no new one. */
const used = (terms: { readonly around?: Around }, use: (one: Site, platform: Platform) => Promise<void>) =>
  onPlatform({ web, ...terms }, async (platform) => {
    const one = await site(platform);
    await run(one, 1);
    await platform.settle();
    platform.used();
    await use(one, platform);
  });

it("twenty pictures are two calls of the meter and a row", () =>
  used({}, async (one, platform) => {
    const answers = await run(one, MAX_BLOCK_REQUESTS);
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    const left = answers.map(({ headers }) => Number(headers.get("x-ratelimit-remaining")));
    expect(left).toEqual(left.map((_, index) => (left[0] ?? 0) - index));
    await platform.settle();
    expect(platform.used()).toMatchObject({ calls: 2, objectRows: 1, awakeSeconds: 0 });
    expect(await creditsOf(one)).toBe(MAX_BLOCK_REQUESTS + 1);
  }));

it("whoever asks for its credits sees all that the isolate has done", () =>
  used({}, async (one) => {
    await run(one, 3);
    expect(await creditsOf(one)).toBe(4);
  }));

it("what is not used of a block comes back: as many requests are left as were not made", () =>
  used({}, async (one, platform) => {
    const [first] = await run(one, 1);
    await platform.settle();
    platform.time.pass(BLOCK_MS);
    const [second] = await run(one, 1);
    const leftOf = (answer?: Answered) => Number(answer?.headers.get("x-ratelimit-remaining"));
    expect(leftOf(second)).toBe(leftOf(first) - 1);
  }));

it("what is refused before it took any time waits with the others, and costs nothing", () =>
  used({}, async (one, platform) => {
    await run(one, 2);
    const calls = () => platform.bill.calls.filter((call) => call.startsWith("METER."));
    const before = calls().length;
    expect((await one.upload({ resize: { width: -1 } })).status).toBe(422);
    expect(calls()).toHaveLength(before);
    await platform.settle();
    expect(await creditsOf(one)).toBe(3);
  }));

it("outcomes of an invocation that ends in the midst are told by the next", () =>
  used({}, async (one, platform) => {
    const [answer] = await run(one, 1);
    if (answer) await platform.hangUp(answer.invocation);
    await run(one, 1);
    await platform.settle();
    expect(await creditsOf(one)).toBe(3);
  }));

it.each(["before", "after"])("a batch is counted once whose call fails %s it was counted", (when) => {
  let failures = 0;
  const around: Around = async ({ where }, go) => {
    if (where !== "METER.tell" || failures >= 2) return go();
    failures += 1;
    if (when === "after") await go();
    throw new Error("network connection lost");
  };
  return used({ around }, async (one, platform) => {
    failures = 0;
    await run(one, 5);
    await platform.settle();
    expect(failures).toBe(2);
    expect(await creditsOf(one)).toBe(6);
  });
});

it("what an isolate took that tells nobody any more is free again when its reservation ends", () => {
  let isGone = false;
  const around: Around = async ({ where }, go) => {
    if (where === "METER.tell" && isGone) throw new Error("network connection lost");
    return go();
  };
  return used({ around }, async (one, platform) => {
    isGone = true;
    await run(one, 3);
    await platform.settle();
    isGone = false;
    // Those three pictures cost nothing, and they and what is left of their block stay reserved until then.
    expect(await creditsOf(one)).toBe(1);
    expect(await reservedBy(one)).toBe(MAX_BLOCK_REQUESTS);
    await platform.advance((CREDIT_LEASE_SECONDS + 1) * 1_000);
    expect(await reservedBy(one)).toBe(0);
  });
});

it("a block that is not used up leaves nothing reserved", () =>
  used({}, async (one, platform) => {
    await run(one, 3);
    expect(await reservedBy(one)).toBeGreaterThan(0);
    await platform.settle();
    expect(await creditsOf(one)).toBe(4);
    expect(await reservedBy(one)).toBe(0);
  }));

// Pictures that come at random, so many within the time of a block on average.
it.each([0.8, 3])("%f pictures within the time of a block share calls and rows as costs.md says", (density) =>
  used({}, async (one, platform) => {
    const pictures = 60;
    const random = randomOf(1);
    for (let picture = 0; picture < pictures; picture += 1) {
      await platform.advance((-Math.log(1 - random()) * BLOCK_MS) / density);
      expect((await one.upload(BYTES)).status).toBe(200);
    }
    await platform.settle();
    const { calls, objectRows } = platform.used();
    const said = inBlocksOf(ROUTES.uploadBytesAlone, picturesInABlock(density));
    for (const ratio of [calls / said.calls, objectRows / said.objectRows]) {
      expect(ratio / pictures).toBeGreaterThan(0.75);
      expect(ratio / pictures).toBeLessThan(1.25);
    }
    expect(await creditsOf(one)).toBe(pictures + 1);
  }),
);
