/**
 * The Worker of `npm run prove`: the service as it is deployed, which says of each answer which isolate gave it, and beside
 * it what only an isolate can find out of the platform. Whoever asks for that carries ADMIN_TOKEN.
 */
import { createHash, timingSafeEqual } from "node:crypto";

import { collectDropped } from "../../../wasm/dropped.ts";
import { promising, Suspending } from "../../../wasm/pausing.ts";
import service, { Maker as ServiceMaker } from "../../index.ts";

export { BatchKeeper, Courier, Images, Meter } from "../../index.ts";

/** What an answer says of the isolate that gave it: its name, and how many requests it has had. */
const ISOLATE_HEADER = "X-Prove-Isolate";
/** Where originals of pictures by address are put. */
const ORIGINAL = "prove/sample.jpg";
const BUCKET_PAGE = 1_000;

/** What is asked for at `/prove/…`. */
interface Asked {
  /** So many times. */
  readonly rounds?: number;
  readonly bytes?: number;
  readonly isInObject?: boolean;
}

type Probe = (asked: Asked, env: Env, request: Request) => Promise<object> | object;

/** A name can be made in an invocation alone. */
const isolate = { name: "", requests: 0 };
/** What `hold` keeps, so that memory grows until the platform says that it is enough. */
const held: Uint8Array[] = [];

const PROBES: Readonly<Record<string, Probe>> = {
  isolate: (_asked, _env, { cf }) => ({
    place: (cf as { readonly colo?: string } | undefined)?.colo ?? "",
    switches: Suspending !== undefined && promising !== undefined,
    ...clock(),
  }),
  bindings,
  compute: async ({ rounds = 1, isInObject }, env, request) => {
    if (!isInObject) return computed(rounds);
    const object = env.MAKER.getByName("prove");
    const asked = new Request(request.url, {
      method: "POST",
      headers: request.headers,
      body: JSON.stringify({ rounds }),
    });
    return (await object.fetch(asked)).json<object>();
  },
  hold: ({ bytes = 0 }) => {
    // Memory that is never written takes none.
    if (bytes > 0) held.push(new Uint8Array(bytes).fill(1));
    return { bytes: held.reduce((sum, one) => sum + one.length, 0) };
  },
  collect,
  edge,
  original: async (_asked, env, request) => {
    await env.BUCKET.put(ORIGINAL, await request.arrayBuffer());
    return {};
  },
  empty: async (_asked, { BUCKET }) => {
    let objects = 0;
    for (;;) {
      const page = await BUCKET.list({ limit: BUCKET_PAGE });
      if (page.objects.length === 0) return { objects };
      await BUCKET.delete(page.objects.map(({ key }) => key));
      objects += page.objects.length;
    }
  },
};

/** What a loop of a fixed length takes: processor time is what the platform's own log says of the invocation. */
function computed(rounds: number): { readonly result: number } {
  let result = 1;
  for (let round = 0; round < rounds; round += 1) {
    for (let step = 0; step < 10_000_000; step += 1) result = (Math.imul(result, 1_664_525) + 1_013_904_223) | 0;
  }
  return { result };
}

/** Whether the clock goes on while an isolate computes. */
function clock(): { readonly clockMs: number } {
  const startedAt = performance.now();
  computed(2);
  return { clockMs: performance.now() - startedAt };
}

/** Milliseconds of each call, there and back: the clock moves at each. */
async function bindings({ rounds = 1 }: Asked, env: Env): Promise<Record<string, number[]>> {
  const key = `prove/${crypto.randomUUID()}`;
  const cacheName = `https://prove.invalid/${key}`;
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    "D1, a row read": () => env.DB.prepare("SELECT 1").first(),
    "R2, a write": () => env.BUCKET.put(key, "prove"),
    "R2, a read": async () => (await env.BUCKET.get(key))?.text(),
    "a Durable Object": () => env.METER.getByName("prove").recall("prove"),
    "the queue, a message": () => env.QUEUE.send({ kind: "prove", id: key }),
    "the cache, looked at": () => caches.default.match(cacheName),
  };
  const times: Record<string, number[]> = {};
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const startedAt = Date.now();
      await call();
      (times[name] ??= []).push(Date.now() - startedAt);
    }
  }
  return times;
}

/** Whether memory that was given up is collected by itself, and whether a buffer that is refused has it collected. */
async function collect({ rounds = 8, bytes = 0 }: Asked): Promise<object> {
  const given = Array.from({ length: rounds }, () => new WeakRef(new Uint8Array(bytes).fill(1)));
  // What was made is kept until its turn is over.
  await scheduler.wait(1);
  const alive = () => given.filter((one) => one.deref() !== undefined).length;
  const before = alive();
  await scheduler.wait(1);
  collectDropped();
  await scheduler.wait(1);
  return { given: rounds, before, after: alive() };
}

/** What `caches.default` keeps of an address of this host. */
async function edge(_asked: Asked, _env: Env, request: Request): Promise<object> {
  const name = new URL(`/prove-kept/${crypto.randomUUID()}`, request.url).href;
  await caches.default.put(name, new Response("kept", { headers: { "Cache-Control": "public, max-age=60" } }));
  const found = await caches.default.match(name);
  await found?.body?.cancel();
  return { isKept: found !== undefined };
}

/** Originals lie in the deployment's own bucket. */
const withOriginals = new WeakMap<Env, Env>();

function environment(env: Env): Env {
  const known = withOriginals.get(env);
  if (known) return known;
  const made = { ...env, ORIGINALS: env.BUCKET };
  withOriginals.set(env, made);
  return made;
}

function isAllowed(request: Request, { ADMIN_TOKEN: token }: { readonly ADMIN_TOKEN?: string }): boolean {
  if (token === undefined) return false;
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(request.headers.get("Authorization") ?? ""), digestOf(`Bearer ${token}`));
}

async function probed(request: Request, env: Env): Promise<Response> {
  const probe = PROBES[new URL(request.url).pathname.slice("/prove/".length)];
  if (!probe || !isAllowed(request, env as { readonly ADMIN_TOKEN?: string }))
    return new Response(null, { status: 404 });
  const isJson = request.headers.get("Content-Type") === "application/json";
  return Response.json(await probe(isJson ? await request.json<Asked>() : {}, env, request));
}

/** An address that caches may keep, where there is one in front. */
function cacheable(): Response {
  return new Response(crypto.randomUUID(), { headers: { "Cache-Control": "public, max-age=300" } });
}

/** An isolate of objects, in which something is computed. */
export class Maker extends ServiceMaker {
  override async fetch(request: Request): Promise<Response> {
    if (new URL(request.url).pathname !== "/prove/compute") return super.fetch(request);
    const { rounds = 1 } = await request.json<Asked>();
    return Response.json(computed(rounds));
  }
}

export default {
  ...service,
  async queue(batch, env, context) {
    const [first] = batch.messages as readonly Message<{ readonly kind?: string }>[];
    if (first?.body.kind === "prove") batch.ackAll();
    else await service.queue(batch, env, context);
  },
  async fetch(request, env, context) {
    isolate.name ||= crypto.randomUUID().slice(0, 8);
    isolate.requests += 1;
    const said = `${isolate.name} ${isolate.requests}`;
    const { pathname } = new URL(request.url);
    const answer = pathname.startsWith("/prove/front/")
      ? cacheable()
      : pathname.startsWith("/prove/")
        ? await probed(request, env)
        : await service.fetch(request as never, environment(env), context);
    const told = new Response(answer.body, answer);
    told.headers.set(ISOLATE_HEADER, said);
    return told;
  },
} satisfies ExportedHandler<Env>;
