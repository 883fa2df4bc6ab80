/** Deliveries under test: their origin, their queue and their bindings are counted. */
import { env } from "cloudflare:workers";
import { inject, onTestFinished, vi } from "vitest";

import { vaultOf } from "../../src/account/vault.ts";
import { parseDelivery, type SigningPair } from "../../src/contract/deliveries.ts";
import { saveDeliveryCounts } from "../../src/delivery/counts.ts";
import { type FinalMessage, runFinal } from "../../src/delivery/finals.ts";
import { forgetDeliveries } from "../../src/delivery/lookup.ts";
import { createDelivery } from "../../src/delivery/records.ts";
import { signatureOf } from "../../src/delivery/signature.ts";
import { settingsOf } from "../../src/env.ts";
import { createApp } from "../../src/http/app.ts";
import { DELIVERY_COUNT_MS } from "../../src/limits/delivery.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { openAccount } from "./accounts.ts";
import { api, needsInside, SERVED } from "./api.ts";
import { relayed } from "./relayed.ts";

const RELAY = inject("relay");
/** Where originals are; of a service in another process an address that it can call, of this file alone. */
export const PREFIX =
  RELAY === undefined ? "https://www.example.com/uploads/" : `${RELAY}/${crypto.randomUUID()}/uploads/`;
export const AVIF = "image/avif,image/webp,image/*,*/*;q=0.8";
export const WEBP = "image/webp,*/*";

const wait = scheduler.wait.bind(scheduler);

/** What an origin answers to a path below PREFIX. */
export type Answers = (path: string, request: Request) => Response | Promise<Response>;

/** Puts an origin in the place of the web; `calls` are the addresses that were asked for. */
export function originOf(answers: Answers): { readonly calls: string[] } {
  const calls: string[] = [];
  const answer = async (request: Request): Promise<Response> => {
    calls.push(request.url);
    return answers(request.url.slice(PREFIX.length), request);
  };
  if (SERVED !== undefined) {
    answerServed(answer);
    return { calls };
  }
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) =>
    answer(new Request(input as string, init as RequestInit)),
  );
  return { calls };
}

/** What answers a service in another process, while a test lasts. */
let served: ((request: Request) => Promise<Response>) | undefined;

function answerServed(answer: (request: Request) => Promise<Response>): void {
  const isFirst = served === undefined;
  served = answer;
  if (!isFirst) return;
  const end = relayed(PREFIX, async (request) => served?.(request) ?? new Response(null, { status: 404 }));
  onTestFinished(async () => {
    await end();
    served = undefined;
  });
}

/** A file, with a validator and its conditions. */
export function file(bytes: ArrayBuffer, etag = '"one"'): Answers {
  return (_, request) => {
    const headers = { etag, "content-length": String(bytes.byteLength) };
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304, headers: { etag } });
    return new Response(bytes.slice(0), { headers });
  };
}

export interface PictureAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read members of JSON freely
  readonly body: any;
}

/** Asks for a path of the service in this process or in another; edge caches answer what was kept before. */
type Ask = (path: string, headers?: Record<string, string>, method?: string) => Promise<PictureAnswer>;

/** A delivery, and everything that its addresses touch: of a service in another process the answers alone. */
export async function deliveryWorld(rules: object = {}, creditsTotal = 1_000): Promise<DeliveryWorld> {
  return SERVED === undefined ? ownWorld(rules, creditsTotal) : servedWorld(rules, creditsTotal);
}

type DeliveryWorld = Awaited<ReturnType<typeof ownWorld>>;

/** The members that look into the service leave the test out from there on. */
async function servedWorld(rules: object, creditsTotal: number): Promise<DeliveryWorld> {
  const { account, key } = await openAccount(creditsTotal);
  const json = { sources: [{ kind: "web", prefix: PREFIX }], unsigned: {}, ...rules };
  const { body } = await api("POST", "/1.0/deliveries", { key, json });
  const { delivery, signing } = body as Pick<DeliveryWorld, "delivery"> & { readonly signing: SigningPair };
  const ask: Ask = async (path, headers = {}, method = "GET") =>
    read(await fetch(`${SERVED}${path}`, { method, headers, redirect: "manual" }));
  const inside = (): never => {
    needsInside();
    throw new Error("only a service in another process has such a world");
  };
  return {
    delivery,
    pair: signing,
    account,
    key,
    ask,
    ...addresses(ask, delivery, signing),
    settle: inside,
    runFinals: inside,
    usage: inside,
    credits: inside,
    stored: inside,
    // Many tests ask first, and look into it then.
    world: new Proxy({} as DeliveryWorld["world"], { get: inside }),
    context: new Proxy({} as DeliveryWorld["context"], { get: inside }),
  };
}

async function read(answer: Response): Promise<PictureAnswer> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
  const body: unknown = isJson && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
  return { status: answer.status, headers: answer.headers, bytes, body };
}

function addresses(ask: Ask, { id }: { readonly id: string }, pair: SigningPair) {
  return {
    /** Asks for a source of the delivery. */
    get: async (
      options: string,
      source = "a.jpg",
      headers: Record<string, string> = { accept: WEBP },
      method = "GET",
    ) => ask(`/i/${id}/${options}/${PREFIX}${source}`, headers, method),
    /** The same, signed. */
    getSigned: async (options: string, source = "a.jpg", headers: Record<string, string> = { accept: WEBP }) =>
      ask(`/i/${id}${await signed(pair, options, PREFIX + source)}`, headers),
  };
}

async function ownWorld(rules: object, creditsTotal: number) {
  const { account, key } = await openAccount(creditsTotal);
  const whole = parseDelivery({ sources: [{ kind: "web", prefix: PREFIX }], unsigned: {}, ...rules });
  const shelf = { db: env.DB, vault: vaultOf(settingsOf(env).vaultKeys) };
  const { delivery, pair } = await createDelivery(shelf, account.id, whole, new Date());
  const world = { ...counted(), pending: [] as Promise<unknown>[] };
  const app = createApp(pipeline);
  const defer = (work: Promise<unknown>) => void world.pending.push(work);
  const context = {
    waitUntil: defer,
    passThroughOnException: () => undefined,
    props: {},
  } as unknown as ExecutionContext;
  // What is counted is written at once: nobody waits two seconds for it.
  vi.spyOn(scheduler, "wait").mockImplementation(async (ms, options) =>
    wait(ms === DELIVERY_COUNT_MS ? 0 : ms, options),
  );
  const settle = async () => {
    while (world.pending.length > 0) await Promise.allSettled(world.pending.splice(0));
  };
  const ask: Ask = async (path, headers = {}, method = "GET") =>
    read(await app.fetch(new Request(`https://darkroom.test${path}`, { method, headers }), world.env, context));
  return {
    delivery,
    pair,
    account,
    key,
    world,
    ask,
    settle,
    context,
    ...addresses(ask, delivery, pair),
    /** Makes the finals whose messages are waiting. */
    runFinals: async () => {
      await settle();
      const ports = { env: world.env, settings: settingsOf(world.env), pipeline, defer };
      for (const message of world.messages.splice(0)) await runFinal(ports, message);
    },
    usage: async () => {
      await settle();
      await saveDeliveryCounts(env.DB);
      return env.DB.prepare(
        "SELECT finals, drafts, stored_hits, delivered_bytes FROM delivery_usage WHERE delivery_id = ?",
      )
        .bind(delivery.id)
        .first<Record<string, number>>();
    },
    credits: async () => {
      await settle();
      const meter = env.METER.getByName(`account:${account.id}`);
      return (await meter.take({ key: "test", limit: 1_000 })).used;
    },
    /** Results. */
    stored: async () => (await env.BUCKET.list({ prefix: `derived/${delivery.id}/` })).objects,
  };
}

export async function signed(pair: SigningPair, options: string, source: string): Promise<string> {
  const signature = await signatureOf(pair, `/${options}/${source}`);
  return `/${options === "" ? "" : `${options},`}sig=${signature}/${source}`;
}

/** Bindings that count what is asked of them; messages of the queue wait to be carried out. */
function counted() {
  const calls = { database: 0, meter: 0, bucket: 0 };
  const messages: FinalMessage[] = [];
  const counting = <Binding extends object>(binding: Binding, name: keyof typeof calls): Binding =>
    new Proxy(binding, {
      get(target, member) {
        const value: unknown = Reflect.get(target, member);
        if (typeof value !== "function") return value;
        return (...given: unknown[]) => {
          calls[name] += 1;
          return Reflect.apply(value as (...all: unknown[]) => unknown, target, given);
        };
      },
    });
  const QUEUE = {
    send: async (message: FinalMessage) => void messages.push(message),
    sendBatch: async (batch: { body: FinalMessage }[]) => void messages.push(...batch.map(({ body }) => body)),
  };
  const bindings = {
    DB: counting(env.DB, "database"),
    METER: counting(env.METER, "meter"),
    BUCKET: counting(env.BUCKET, "bucket"),
    QUEUE,
  };
  return { calls, messages, env: { ...env, ...bindings } as unknown as Env };
}

/** What an answer says of itself: draft or final, and where it came from. */
export const facts = ({ headers }: { readonly headers: Headers }) => [
  headers.get("x-service-rendition"),
  headers.get("x-service-cache"),
];

/** Edge caches forget what they know, as after a purge, but nothing else does. */
export async function forgetEdges(id: string): Promise<void> {
  needsInside();
  await env.DB.prepare("UPDATE deliveries SET edition = edition + 1 WHERE id = ?").bind(id).run();
  forgetDeliveries();
}
