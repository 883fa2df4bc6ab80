/** How many ways to far bindings come one after another before the work on a picture begins. */
import { expect, it } from "vitest";

import { isolateBlocks } from "../../src/account/blocks.ts";
import { forgetKeys } from "../../src/account/keys.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { KEY_CACHE_SECONDS } from "../../src/limits/accounts.ts";
import { DELIVERY_CACHE_SECONDS } from "../../src/limits/delivery.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { current } from "./invocation.ts";
import { onPlatform, type Platform } from "./platform.ts";
import { type Site, site, web } from "./site.ts";

const FAR_MS = 120;
const SMALL = { resize: { width: 24 } };
const BYTES = { ...SMALL, response: { mode: "binary", keep: false } };
/** What is where the request is, or on no way of ours. */
const NEAR: readonly string[] = ["cache", "web"];

/** Trips until the pipeline is entered, of each request that enters it; how many an answer took is its last. */
async function tripsOf(use: (one: Site, platform: Platform) => Promise<void>): Promise<number[]> {
  const trips: number[] = [];
  const watched: typeof pipeline = {
    ...pipeline,
    process: (...given) => {
      const invocation = current.getStore();
      if (invocation?.trigger === "fetch") trips.push((invocation.clock - invocation.startedAt) / FAR_MS);
      return pipeline.process(...given);
    },
  };
  const distanceMs = (binding: string) => (NEAR.includes(binding) ? 0 : FAR_MS);
  await onPlatform({ web, pipeline: watched, distanceMs }, async (platform) => {
    await use(await site(platform), platform);
  });
  return trips;
}

it("an isolate that knows the key asks the meter, and a block of requests saves that", async () => {
  const trips = await tripsOf(async ({ get, upload }) => {
    await get("/1.0/account");
    for (let picture = 0; picture < 3; picture += 1) await upload(BYTES);
  });
  expect(trips).toEqual([1, 0, 0]);
});

it("an isolate that knows nothing looks the key up before", async () => {
  expect(await tripsOf(async ({ upload }) => void (await upload(SMALL)))).toEqual([2]);
});

it("an isolate that knows nothing asks both at once where another of its place knows the key", async () => {
  const trips = await tripsOf(async ({ upload }, platform) => {
    for (let isolate = 0; isolate < 3; isolate += 1) {
      await upload(BYTES);
      await platform.settle();
      forgetKeys();
      await isolateBlocks.tellAll();
    }
  });
  expect(trips).toEqual([2, 1, 1]);
});

it("an isolate whose knowledge of a key is old asks both at once", async () => {
  const trips = await tripsOf(async ({ upload }, platform) => {
    for (let picture = 0; picture < 3; picture += 1) {
      await upload(BYTES);
      await platform.settle();
      await platform.advance((KEY_CACHE_SECONDS + 1) * 1_000);
      await isolateBlocks.tellAll();
    }
  });
  expect(trips).toEqual([2, 1, 1]);
});

it("an original that is fetched is no further trip", async () => {
  const trips = await tripsOf(async ({ get, post }) => {
    await get("/1.0/account");
    await post("/1.0/fetch", { url: "https://www.example.com/uploads/a.jpg", ...SMALL });
  });
  expect(trips).toEqual([1]);
});

it("the first view of a picture looks into the bucket, and claims beside its work", async () => {
  const trips = await tripsOf(async ({ see }, platform) => {
    await see("known.jpg");
    await platform.settle();
    await see("a.jpg");
  });
  expect(trips).toEqual([2, 1]);
});

it.each([
  ["knows nothing, where another of its place knows the delivery,", async () => forgetDeliveries()],
  ["has old knowledge", async (platform: Platform) => platform.advance((DELIVERY_CACHE_SECONDS + 1) * 1_000)],
])("an isolate that %s looks into the bucket while it asks", async (_, forget) => {
  const trips = await tripsOf(async ({ see }, platform) => {
    for (const name of ["a.jpg", "b.jpg", "c.jpg"]) {
      await see(name);
      await platform.settle();
      await forget(platform);
    }
  });
  expect(trips).toEqual([2, 1, 1]);
});
