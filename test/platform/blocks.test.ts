/** Requests of an account in blocks: what they cost, and that no credit is lost or doubled. */
import { env } from "cloudflare:workers";
import { expect, it } from "vitest";

import { Blocks } from "../../src/account/blocks.ts";
import { boardAt } from "../../src/account/board.ts";
import { ARRIVALS } from "../../src/docs/figures.ts";
import {
  BLOCK_HELD_SECONDS,
  CREDIT_LEASE_SECONDS,
  DEFAULT_METER_BLOCK_SECONDS,
  MAX_BLOCK_REQUESTS,
} from "../../src/limits/accounts.ts";
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
    // What a busy meter writes a second later is none of the next test's.
    await platform.objects.rest();
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

it("what an isolate took that nobody hears of any more is free again when its reservation ends", () => {
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
    platform.edge.clear();
    platform.time.pass(60_000);
    // Those three pictures cost nothing, and they and what is left of their block stay reserved until then.
    expect(await creditsOf(one)).toBe(1);
    expect(await reservedBy(one)).toBe(MAX_BLOCK_REQUESTS - 1);
    await platform.advance((CREDIT_LEASE_SECONDS + 1) * 1_000);
    expect(await reservedBy(one)).toBe(0);
  });
});

it("who tells is handed the next block: a picture a minute later is one call, and another that the row is written", () =>
  used({}, async (one, platform) => {
    for (let picture = 0; picture < 3; picture += 1) {
      platform.time.pass(61_000);
      await run(one, 1);
      await platform.settle();
      expect(platform.used()).toMatchObject({ calls: 1, objectRows: 1, awakeSeconds: 0 });
    }
    expect(await creditsOf(one)).toBe(4);
  }));

it("a block that nobody uses lapses: here before its reservation ends, and at the meter with it", () =>
  used({}, async (one, platform) => {
    const [first] = await run(one, 1);
    await platform.settle();
    expect(await reservedBy(one)).toBe(MAX_BLOCK_REQUESTS - 2);
    platform.time.pass((BLOCK_HELD_SECONDS + 1) * 1_000);
    const calls = () => platform.bill.calls.filter((call) => call === "METER.take").length;
    const before = calls();
    const { response, invocation } = platform.begin("/1.0/upload", one.form(BYTES));
    expect((await response).status).toBe(200);
    expect(calls()).toBe(before + 1);
    // Nobody hears of this picture, nor of the block that it has brought.
    invocation.end();
    await platform.advance((CREDIT_LEASE_SECONDS + 1) * 1_000);
    const meter = env.METER.getByName(`account:${one.account.id}`);
    const ask = { key: one.keyId, limit: 1_000_000, account: one.account.id };
    const { remaining, used: spent } = await meter.take(ask);
    expect([first?.status, spent]).toEqual([200, 2]);
    // Requests that are not made fill no window, and no credit is reserved.
    expect(1_000_000 - remaining).toBeLessThan(10);
    expect(await meter.take({ ...ask, creditsTotal: spent + 1 })).toHaveProperty("lease");
  }));

/** An account of its own, whose pictures isolates with blocks of their own are asked for. */
function client(platform: Platform) {
  const account = crypto.randomUUID();
  const [key, meter] = [`${account}-key`, `account:${account}`];
  const ask = { key, limit: 100_000, account, creditsTotal: 1e9, failedMs: 120_000 };
  const reachOf = (METER: Env["METER"]) => ({ meters: METER, board: boardAt("https://darkroom.test") });
  const picture = (blocks: Blocks) =>
    platform.invoke(async ({ METER }, context) => {
      const reach = reachOf(METER);
      const { lease = 0 } = await blocks.take(reach, meter, ask, BLOCK_MS);
      const outcome = { lease, reserved: 1, spent: { key, bytesIn: 2, bytesOut: 1 } };
      context.waitUntil(blocks.close(reach, { meter, key }, BLOCK_MS, outcome));
    });
  const see = (blocks: Blocks) => platform.invoke(({ METER }) => blocks.tell(reachOf(METER), meter));
  const spent = async () => (await env.METER.getByName(meter).take({ key: "another", limit: 1_000 })).used;
  return { meter, picture, see, spent };
}

const callsOf = (platform: Platform, method: string) =>
  platform.bill.calls.filter((call) => call === `METER.${method}`).length;

it.each(["own", "shared"] as const)("pictures of five isolates within seconds, on a domain that is %s", (domain) =>
  onPlatform({ web, domain }, async (platform) => {
    const { picture, spent } = client(platform);
    const isolates = Array.from({ length: 5 }, () => new Blocks());
    for (const blocks of isolates) {
      await picture(blocks);
      await platform.advance(3_000);
    }
    await platform.settle();
    // Where nothing is kept each isolate tells what it has done.
    expect([callsOf(platform, "take"), callsOf(platform, "tell")]).toEqual([5, domain === "own" ? 1 : 5]);
    expect([isolates.every(({ isSettled }) => isSettled), await spent()]).toEqual([true, 5]);
  }),
);

it("what an isolate has posted that is gone is told by another, and seen by whoever asks", () =>
  onPlatform({ web }, async (platform) => {
    const { picture, see, spent } = client(platform);
    await picture(new Blocks());
    await platform.advance(3_000);
    for (const invocation of platform.invocations) invocation.end();
    await see(new Blocks());
    expect(await spent()).toBe(1);
    await picture(new Blocks());
    await platform.settle();
    expect(await spent()).toBe(2);
  }));

it("a data center that forgets what lies there loses no credit, and doubles none", () =>
  onPlatform({ web }, async (platform) => {
    const { picture, spent } = client(platform);
    const [one, other] = [new Blocks(), new Blocks()];
    await picture(one);
    await picture(other);
    await platform.advance(3_000);
    platform.edge.clear();
    await platform.settle();
    expect([callsOf(platform, "tell"), await spent()]).toEqual([2, 2]);
  }));

it("a batch that two isolates tell is counted once, whatever the meter has in memory", () =>
  onPlatform({ web }, async (platform) => {
    const { meter, spent } = client(platform);
    const outcome = { lease: 0, reserved: 1, spent: { key: "k", bytesIn: 2, bytesOut: 1 } };
    const batch = { id: crypto.randomUUID(), key: "k", used: [], outcomes: [outcome], unused: [] };
    const tell = () => platform.invoke(({ METER }) => METER.getByName(meter).tell({ batches: [batch] }));
    await tell();
    platform.used();
    await tell();
    await platform.objects.evict();
    await tell();
    expect(platform.used().objectRows).toBe(0);
    expect(await spent()).toBe(1);
  }));

/**
 * Pictures of an account that come at random to isolates with blocks of their own, on a clock that evicts idle objects.
 * @returns what one of them takes of the account's meter
 */
async function metered(platform: Platform, arrival: { apartSeconds: number; isolates: number }, pictures: number) {
  const random = randomOf(1);
  const all = new Map<number, Blocks>();
  const { picture, spent } = client(platform);
  for (let index = 0; index < pictures; index += 1) {
    await platform.advance(-Math.log(1 - random()) * arrival.apartSeconds * 1_000);
    const isolate = Number.isFinite(arrival.isolates) ? Math.floor(random() * arrival.isolates) : index;
    const blocks = all.get(isolate) ?? new Blocks();
    all.set(isolate, blocks);
    await picture(blocks);
  }
  await platform.settle();
  const { calls, objectRows } = platform.used();
  return { calls: calls / pictures, objectRows: objectRows / pictures, spent: await spent() };
}

it.each(ARRIVALS)("pictures that come $says take as many calls and rows as costs.md says", (arrival) =>
  onPlatform({ web }, async (platform) => {
    platform.objects.idleMs = 10_000;
    const pictures = 100;
    const { calls, objectRows, spent } = await metered(platform, arrival, pictures);
    expect(calls / arrival.calls).toBeGreaterThan(0.75);
    expect(calls / arrival.calls).toBeLessThan(1.25);
    // That the usage is copied in ten minutes is a row of the spell, and not of a picture.
    const rows = objectRows - arrival.apartSeconds / 600;
    expect(rows / arrival.objectRows).toBeGreaterThan(0.75);
    expect(rows / arrival.objectRows).toBeLessThan(1.25);
    expect(spent).toBe(pictures);
  }),
);
