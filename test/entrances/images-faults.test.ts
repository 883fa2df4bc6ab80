/** The entrance of images while its bindings go wrong at random: an answer is whole or a refusal, and nothing stays held. */
import { env } from "cloudflare:workers";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { forgetKeys } from "../../src/account/keys.ts";
import { infoOf, Transformer } from "../../src/entrances/images.ts";
import { holdForReader, lentBytes } from "../../src/http/lending.ts";
import { identify } from "../../src/image/plan/detect.ts";
import { CREDIT_LEASE_SECONDS } from "../../src/limits/accounts.ts";
import { MAX_LENT_BYTES } from "../../src/limits/isolate.ts";
import { isolateBudget } from "../../src/scheduler/budget.ts";
import turned from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import { api } from "../support/api.ts";
import { doorOf } from "../support/doors.ts";
import { randomOf } from "../support/event-queue.ts";
import { eventually } from "../support/eventually.ts";
import { daily } from "../support/exhaustive.ts";
import { type Chance, faultyBinding, faultyDatabase, faultyObjects, type Mishap } from "../support/faults.ts";

const RUNS = daily(6, 40);
const REQUESTS = 10;
/** Of calls that bindings are asked, the share that goes wrong. */
const SHARE = 0.12;
const PHOTO = new Uint8Array(turned);
const MISHAPS: readonly Mishap[] = ["fails", "fails after", "late"];

const streamOf = (bytes: Uint8Array) => new Response(bytes as Uint8Array<ArrayBuffer>).body as ReadableStream;
const bytesOf = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer());

beforeEach(() => {
  vi.spyOn(console, "error").mockImplementation(() => undefined);
});

afterEach(() => {
  forgetKeys();
  vi.useRealTimers();
});

function faultyBindings(random: () => number) {
  const suffered: string[] = [];
  const chance: Chance = (where) => {
    const mishap = random() > SHARE ? "none" : (MISHAPS[Math.floor(random() * MISHAPS.length)] ?? "none");
    if (mishap !== "none") suffered.push(`${where} ${mishap}`);
    return mishap;
  };
  const bindings = {
    DB: faultyDatabase(env.DB, "DB", chance),
    BUCKET: faultyBinding(env.BUCKET, "BUCKET", chance),
    METER: faultyObjects(env.METER, "METER", chance),
  };
  return { bindings, suffered };
}

/** Credits that are used once every reservation has ended. */
async function creditsUsed(key: string): Promise<number> {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + (CREDIT_LEASE_SECONDS + 60) * 1_000 });
  const { body } = await api("GET", "/1.0/account", { key });
  vi.useRealTimers();
  expect(body.credits.used + body.credits.remaining).toBe(body.credits.total);
  return body.credits.used;
}

const runs = Array.from({ length: RUNS }, (_, run) => run + 1);

describe.each(
  runs.flatMap((seed) => [
    { seed, lent: 0 },
    { seed, lent: MAX_LENT_BYTES },
  ]),
)("bindings that go wrong, run $seed, with $lent bytes lent to others", ({ seed, lent }) => {
  it("leave every answer whole, charge what was made alone, and hold nothing in the end", async () => {
    forgetKeys();
    const random = randomOf(seed);
    const { bindings, suffered } = faultyBindings(random);
    const { key } = await openAccount(1_000);
    const others = lent > 0 ? holdForReader(lent) : undefined;
    const door = doorOf(key, bindings);
    let made = 0;
    const output = async () => {
      const chain = new Transformer(door, streamOf(PHOTO), undefined);
      using result = await chain.transform({ width: 10 + Math.floor(random() * 9) }).output({ format: "image/webp" });
      made += 1;
      expect(identify(await bytesOf(await result.image())).format.label).toBe("WEBP");
    };
    const facts = async () =>
      expect(await infoOf(door, streamOf(PHOTO), undefined)).toMatchObject({ format: "image/jpeg" });
    for (let request = 0; request < REQUESTS; request += 1) {
      // oxlint-disable-next-line no-await-in-loop -- requests come one after the other, so that a seed is one story
      const refusal = await (random() < 0.7 ? output() : facts()).then(() => "", String);
      expect(refusal).toMatch(/^(?:|ImagesError: IMAGES_(?:INFO|TRANSFORM)_ERROR 9523: [^/]+)$/);
    }
    others?.leave();
    await eventually(async () => expect(lentBytes()).toBe(0));
    await eventually(async () => expect(isolateBudget.held.originals).toBe(0));
    const used = await creditsUsed(key);
    const unsettled = suffered.filter((line) => /^METER\.(?:settle|end|release|tell)/.test(line)).length;
    expect(used, suffered.join(", ")).toBeLessThanOrEqual(made);
    expect(used, suffered.join(", ")).toBeGreaterThanOrEqual(made - unsettled);
  });
});
