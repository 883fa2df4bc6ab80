/** Deliveries under test: their origin, their queue and their bindings are counted. */
import { env } from "cloudflare:workers";
import { vi } from "vitest";

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

export const PREFIX = "https://www.example.com/uploads/";
export const AVIF = "image/avif,image/webp,image/*,*/*;q=0.8";
export const WEBP = "image/webp,*/*";

const wait = scheduler.wait.bind(scheduler);

/** What an origin answers to a path below PREFIX. */
export type Answers = (path: string, request: Request) => Response | Promise<Response>;

/** Puts an origin in the place of the web; `calls` are the addresses that were asked for. */
export function originOf(answers: Answers): { readonly calls: string[] } {
  const calls: string[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit);
    calls.push(request.url);
    return answers(request.url.slice(PREFIX.length), request);
  });
  return { calls };
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

/** A delivery, and everything that its addresses touch. */
export async function deliveryWorld(rules: object = {}, creditsTotal = 1_000) {
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
  const ask = async (path: string, headers: Record<string, string> = {}, method = "GET"): Promise<PictureAnswer> => {
    const request = new Request(`https://darkroom.test${path}`, { method, headers });
    const answer = await app.fetch(request, world.env, context);
    const bytes = new Uint8Array(await answer.arrayBuffer());
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    const body: unknown = isJson && bytes.length > 0 ? JSON.parse(new TextDecoder().decode(bytes)) : undefined;
    return { status: answer.status, headers: answer.headers, bytes, body };
  };
  return {
    delivery,
    pair,
    account,
    key,
    world,
    ask,
    settle,
    context,
    /** Asks for a source of the delivery; edge caches answer what was kept before. */
    get: (options: string, source = "a.jpg", headers: Record<string, string> = { accept: WEBP }, method = "GET") =>
      ask(`/i/${delivery.id}/${options}/${PREFIX}${source}`, headers, method),
    /** The same, signed. */
    getSigned: async (options: string, source = "a.jpg", headers: Record<string, string> = { accept: WEBP }) =>
      ask(`/i/${delivery.id}${await signed(pair, options, PREFIX + source)}`, headers),
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
  await env.DB.prepare("UPDATE deliveries SET edition = edition + 1 WHERE id = ?").bind(id).run();
  forgetDeliveries();
}
