/** Addresses that end: no cache shows their pictures afterwards. */
import { expect, it } from "vitest";

import photo from "../fixtures/jpeg/s420.jpg";
import { api } from "../support/api.ts";
import { deliveryWorld, file, originOf } from "../support/delivery.ts";

const ENDING = /^public, max-age=(\d+), stale-if-error=0$/;

it("answers are kept by caches no longer than the address is good", async () => {
  originOf(file(photo));
  const { getSigned, key, delivery, settle } = await deliveryWorld({ refine: false });
  const said = async (options: string) => (await getSigned(options)).headers.get("cache-control") ?? "";
  const soon = Math.floor(Date.now() / 1_000) + 100;
  const most = async (options: string) => Number(ENDING.exec(await said(options))?.[1]);
  expect(await most(`w=24,exp=${soon}`)).toBeLessThanOrEqual(100);
  expect(await said(`w=24,exp=${soon + 9_999_999}`)).toMatch(
    /=259\d{4}, stale-while-revalidate=86400, stale-if-error=0$/,
  );
  await settle();
  // What the pair before signed is good for a day.
  await api("POST", `/1.0/deliveries/${delivery.id}/signing`, { key });
  expect(await most("w=24")).toBeLessThanOrEqual(86_400);
});
