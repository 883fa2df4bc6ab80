/** What isolates remember for each other in the platform's cache, in which others may keep what they like. */
import { env } from "cloudflare:workers";
import { beforeEach, expect, it } from "vitest";

import { readMeanwhile, sealedCacheAt } from "../../src/account/sealed-cache.ts";
import { vaultOf } from "../../src/account/vault.ts";
import { settingsOf } from "../../src/env.ts";

const BASE = "https://sealed.test";
const NAME = "key a";
const VALUE = { id: "one", limits: { finals_per_day: 5 } };
const cache = sealedCacheAt(BASE, vaultOf(settingsOf(env).vaultKeys));
const requestOf = (name: string) => new Request(`${BASE}/sealed/1/${encodeURIComponent(name)}`);

async function keep(name: string, body: BodyInit): Promise<void> {
  await caches.default.put(requestOf(name), new Response(body, { headers: { "cache-control": "max-age=60" } }));
}

/** How something is read that is remembered, and what is done beside. */
async function readBeside(value: typeof VALUE | null, open = (one: typeof VALUE) => one) {
  const former: unknown[] = [];
  const deferred: Promise<unknown>[] = [];
  const remembering = { cache, defer: (work: Promise<unknown>) => void deferred.push(work) };
  const row = scheduler.wait(200).then(() => value);
  const onFormer = (found: unknown) => void former.push(found);
  const read = await readMeanwhile({ name: NAME, own: undefined, row, open }, { onFormer, remembering });
  await Promise.all(deferred);
  return { read, former, writes: deferred.length };
}

beforeEach(() => caches.default.delete(requestOf(NAME)));

it("what is kept is read as it was, and cannot be read by others", async () => {
  await cache.write(NAME, VALUE);
  expect(await cache.read(NAME)).toEqual(VALUE);
  const sealed = await caches.default.match(requestOf(NAME));
  expect(await sealed?.text()).not.toContain("finals");
});

it.each([
  ["what was never sealed", () => JSON.stringify(VALUE)],
  ["nothing at all", () => ""],
  [
    "what was sealed under another name",
    async () => {
      await cache.write("key b", VALUE);
      return (await caches.default.match(requestOf("key b")))?.bytes();
    },
  ],
  ["what was sealed by somebody else", () => vaultOf([new Uint8Array(32)]).seal(VALUE, `sealed cache 1 ${NAME}`)],
])("%s is not read", async (_, made) => {
  await keep(NAME, (await made()) as BodyInit);
  expect(await cache.read(NAME)).toBeUndefined();
});

it("where the service has no key, nothing is kept and nothing fails", async () => {
  const open = sealedCacheAt(BASE, vaultOf([]));
  await open.write(NAME, VALUE);
  expect(await open.read(NAME)).toBeUndefined();
});

it("what is remembered is told before what is read, and kept anew where that is another", async () => {
  expect(await readBeside(VALUE)).toEqual({ read: VALUE, former: [], writes: 1 });
  expect(await readBeside(VALUE)).toEqual({ read: VALUE, former: [VALUE], writes: 0 });
  const other = { ...VALUE, id: "two" };
  expect(await readBeside(other)).toEqual({ read: other, former: [VALUE], writes: 1 });
  expect(await readBeside(null)).toEqual({ read: null, former: [other], writes: 1 });
  expect(await readBeside(null)).toEqual({ read: null, former: [], writes: 0 });
});

it("what is remembered and cannot be opened is as good as none", async () => {
  await readBeside(VALUE);
  const other = { ...VALUE, id: "two" };
  const open = (one: typeof VALUE) => {
    if (one.id === VALUE.id) throw new Error("sealed under a key that is gone");
    return one;
  };
  expect(await readBeside(other, open)).toEqual({ read: other, former: [], writes: 1 });
});
