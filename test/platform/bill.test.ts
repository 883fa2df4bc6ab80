/** Each route takes what the tables of costs say: a change that adds a call, a row or a line fails by the route's name. */
import { env } from "cloudflare:workers";
import { describe, expect, it } from "vitest";

import { vaultOf } from "../../src/account/vault.ts";
import { parseDelivery } from "../../src/contract/deliveries.ts";
import { createDelivery } from "../../src/delivery/records.ts";
import { ROUTES } from "../../src/docs/figures.ts";
import { settingsOf } from "../../src/env.ts";
import { DEFAULT_DELIVERY_TTL_SECONDS } from "../../src/limits/delivery.ts";
import photo from "../fixtures/jpeg/s420.jpg";
import { openAccount } from "../support/accounts.ts";
import type { Usage } from "./bill.ts";
import { onPlatform, type Platform } from "./platform.ts";

const PREFIX = "https://www.example.com/uploads/";
const HOOK = "https://hooks.example.com/done";
const MINUTE_MS = 60_000;
const AVIF = "image/avif,image/webp,image/*,*/*;q=0.8";
/** Gigabytes for which an object is billed while it is awake. */
const OBJECT_GB = 0.128;

/** As most deployments have it. */
const ONE_DATABASE = { DB_1: undefined, DB_2: undefined };

/** An origin of one picture under every name, which says when it has not changed; and a receiver of notifications. */
const web = (request: Request): Response => {
  if (request.url === HOOK) return new Response("");
  const headers = { etag: '"one"', "content-length": String(photo.byteLength) };
  if (request.headers.get("if-none-match") === '"one"') return new Response(null, { status: 304, headers });
  return new Response(photo.slice(0), { headers });
};

/** An account with a delivery, on a platform that has been used a little. */
async function site(platform: Platform) {
  const { account, key } = await openAccount();
  const shelf = { db: env.DB, vault: vaultOf(settingsOf(env).vaultKeys) };
  const rules = parseDelivery({ sources: [{ kind: "web", prefix: PREFIX }], unsigned: { widths: [16, 24] } });
  const { delivery } = await createDelivery(shelf, account.id, rules, new Date());
  const auth = { authorization: `Bearer ${key}` };
  const post = (path: string, json: object) =>
    platform.ask(path, {
      method: "POST",
      body: JSON.stringify(json),
      headers: { ...auth, "content-type": "application/json" },
    });
  const upload = (data: object) => {
    const body = new FormData();
    body.set("file", new File([photo], "a.jpg"));
    body.set("data", JSON.stringify(data));
    return platform.ask("/1.0/upload", { method: "POST", body, headers: auth });
  };
  const see = (name: string, accept = AVIF) =>
    platform.ask(`/i/${delivery.id}/w=24/${PREFIX}${name}`, { headers: { accept } });
  const purge = (json: object) => post(`/1.0/deliveries/${delivery.id}/purge`, json);
  const get = (path: string, headers: Record<string, string> = auth) => platform.ask(path, { headers });
  return { upload, post, get, see, purge };
}

type Site = Awaited<ReturnType<typeof site>>;

/** How a route is walked: what comes before, and what is counted. */
interface Walk {
  readonly before?: (site: Site, platform: Platform) => Promise<unknown>;
  readonly walk: (site: Site, platform: Platform) => Promise<unknown>;
}

const SMALL = { resize: { width: 24 } };
/** After `ttl` has passed. */
const RENEWED_AFTER_MS = DEFAULT_DELIVERY_TTL_SECONDS * 1_000 + 1;
const stranger = (address: string) => ({ "cf-connecting-ip": address });

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
  uploadBytes: { walk: ({ upload }) => upload({ ...SMALL, response: { mode: "binary" } }) },
  fetch: { walk: ({ post }) => post("/1.0/fetch", { url: `${PREFIX}a.jpg`, ...SMALL }) },
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
  accountMinute: {
    before: async ({ upload }, platform) => {
      await upload(SMALL);
      await platform.settle();
      await platform.objects.ring(1, "METER");
      platform.time.pass(MINUTE_MS);
      await upload(SMALL);
    },
    walk: (_, { objects }) => objects.ring(1, "METER"),
  },
  health: { walk: ({ get }) => get("/health", {}) },
  metrics: { walk: ({ get }) => get("/metrics", { authorization: "Bearer admin-token-for-tests" }) },
  stranger: { walk: ({ get }) => get("/wp-admin.php", stranger("192.0.2.1")) },
  strangeKey: {
    walk: ({ get }) => get("/1.0/account", { authorization: "Bearer nonsense", ...stranger("192.0.2.2") }),
  },
  job: { walk: job },
  draft: { walk: ({ see }) => see("a.jpg") },
  final: {
    before: ({ see }) => see("a.jpg"),
    walk: (_, platform) => platform.drain(),
  },
  edgeHit: {
    before: async (one, platform) => {
      await made(one, platform);
      await one.see("a.jpg");
    },
    walk: ({ see }) => see("a.jpg"),
  },
  storedHit: { before: made, walk: ({ see }) => see("a.jpg") },
  renewedHit: {
    before: async (one, platform) => {
      await made(one, platform);
      platform.time.pass(RENEWED_AFTER_MS);
      await one.see("other.jpg");
    },
    walk: ({ see }) => see("a.jpg"),
  },
  cronMinute: {
    before: (_, platform) => platform.strike(),
    walk: (_, platform) => platform.strike(),
  },
  purge: { before: made, walk: ({ purge }) => purge({}) },
  purgeOfOne: { before: made, walk: ({ purge }) => purge({ source: `${PREFIX}a.jpg` }) },
};

/** The pieces of the bill that figures name; seconds awake are gigabyte-seconds there. */
function figuresOf({ awakeSeconds, ...used }: Usage) {
  return { ...used, gbSeconds: Math.round(awakeSeconds) * OBJECT_GB, cpuMs: 0 };
}

describe("a million of each takes what the tables of costs say", () => {
  it.each(Object.keys(ROUTES) as (keyof typeof ROUTES)[])("%s", (name) =>
    onPlatform({ web, variables: ONE_DATABASE }, async (platform) => {
      const one = await site(platform);
      const { before, walk } = WALKS[name];
      // The isolate learns the key and the delivery, and the account is no new one.
      await one.get("/1.0/account");
      await one.see("known.jpg", "image/*");
      await platform.settle();
      await platform.drain();
      await before?.(one, platform);
      await platform.settle();
      platform.time.pass(5_000);
      platform.used();
      await walk(one, platform);
      await platform.settle();
      const calls = platform.bill.calls.join(" ");
      expect(figuresOf(platform.used()), calls).toEqual(ROUTES[name]);
    }),
  );
});
