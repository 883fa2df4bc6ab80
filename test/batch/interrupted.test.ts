/**
 * A bucket of real small pictures, optimized in place while its keeper is killed, the batch is paused, the store fails, and the
 * owner replaces objects; at the end every object is compared with what its owner has put there.
 */
import { runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { beforeAll, expect, inject, it, vi } from "vitest";

import { OBJECT_LEASE_MS } from "../../src/limits/batch.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import photo from "../../src/playground/sample.jpg";
import { openAccount } from "../support/accounts.ts";
import { apiOf } from "../support/api.ts";
import { asked, shown } from "../support/colors.ts";
import type { Call } from "../support/reader.ts";
import { S3_KEYS } from "../support/stores/accounts.ts";
import { putObject } from "../support/stores/put-object.ts";

const api = apiOf(pipeline);
const REGION = "auto";
const OBJECTS = 180;
const BUCKET = `interrupted-${crypto.randomUUID()}`;
const MARK = "x-amz-meta-darkroom";
/** Side of the square that objects are cut from. */
const TILE = 160;
/** One of so many is damaged, one of so many is replaced by its owner meanwhile. */
const [DAMAGED, REPLACED] = [60, 40];
/** Requests that a failing store refuses, and writes that it does without an answer. */
const [REFUSED, UNANSWERED] = [12, 4];
/** Decibels by which a result is that of its original: other pictures of the bucket are 20 apart at most. */
const ALIKE_DB = 24;

interface Owned {
  readonly bytes: Uint8Array;
  readonly type: string;
  /** Results that the store has taken of this version. */
  writes: number;
}

const owned = new Map<string, Owned>();
const storeUrl = inject("storeEndpoints")["s3"] ?? "";
/** What the store does with requests of the service: null passes. */
let trouble: ((request: Request) => "refuse" | "lose" | null) | null = null;
let writes = 0;
/** By how much the clock of the service is ahead. */
let laterMs = 0;

/** Stands between the service and the store. */
async function relay(request: Request, real: typeof fetch): Promise<Response> {
  const key = decodeURIComponent(new URL(request.url).pathname.slice(`/${BUCKET}/`.length));
  const isMarked = request.headers.has(MARK);
  const mishap = trouble?.(request) ?? null;
  if (mishap === "refuse") return new Response("<Error><Code>SlowDown</Code></Error>", { status: 503 });
  const of = owned.get(key);
  const answer = await real(request);
  if (isMarked && answer.ok && of) {
    of.writes += 1;
    writes += 1;
  }
  if (mishap === "lose") throw new TypeError("The connection was lost");
  return answer;
}

let tile: Uint8Array;
const chained = async (file: Uint8Array, calls: readonly Call[]): Promise<Uint8Array> => {
  const answer = await asked(`/chain?${new URLSearchParams({ calls: JSON.stringify(calls) }).toString()}`, file);
  const { file: made } = JSON.parse(new TextDecoder().decode(answer)) as { readonly file: string };
  return Uint8Array.fromBase64(made);
};

function nameOf(n: number): readonly [key: string, format: string] {
  const [extension, format] = n % 10 < 7 ? ["jpg", "jpeg"] : n % 10 < 9 ? ["png", "png"] : ["webp", "webp"];
  return [`shop ${n % 7}/${String(n).padStart(6, "0")}.${extension}`, format];
}

/** The owner puts a part of a photograph there, another one for each seed; one of many is damaged. */
async function own(n: number, seed = n): Promise<void> {
  const [key, format] = nameOf(n);
  const [width, height] = [32 + (seed % 41), 32 + (seed % 29)];
  const at = { left: (seed * 13) % (TILE - width), top: (seed * 29) % (TILE - height), width, height };
  const made = await chained(tile, [
    ["extract", at],
    ["toFormat", format, { quality: 92 }],
  ]);
  const bytes = n % DAMAGED === DAMAGED / 2 ? made.subarray(0, 30) : made;
  owned.set(key, { bytes, type: `image/${format}`, writes: 0 });
  await putObject({
    url: storeUrl,
    region: REGION,
    bucket: BUCKET,
    key,
    type: `image/${format}`,
    bytes: bytes.slice(),
  });
}

async function inParts(count: number, work: (n: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += 12) {
    await Promise.all(Array.from({ length: Math.min(12, count - from) }, (_, at) => work(from + at)));
  }
}

let key = "";
let connector = "";
beforeAll(async () => {
  tile = await chained(new Uint8Array(photo), [["resize", TILE, TILE], ["png"]]);
  await inParts(OBJECTS, (n) => own(n));
  ({ key } = await openAccount(OBJECTS * 3));
  const members = { provider: "s3", ...S3_KEYS, endpoint: storeUrl, bucket: BUCKET };
  const { body } = await api("POST", "/1.0/connectors", { key, json: { name: "c", ...members } });
  connector = body.connector.id;
  const now = Date.now.bind(Date);
  vi.spyOn(Date, "now").mockImplementation(() => now() + laterMs);
  const real = globalThis.fetch;
  vi.stubGlobal("fetch", async (input: RequestInfo | URL, init?: RequestInit) => {
    const request = new Request(input as RequestInfo, init);
    return request.url.startsWith(`${storeUrl}/${BUCKET}`) ? relay(request, real) : real(request);
  });
});

const show = async (id: string) => (await api("GET", `/1.0/batches/${id}`, { key })).body.batch;
const overOf = async (id: string): Promise<number> => {
  const { counts } = await show(id);
  return counts.done + counts.skipped + counts.failed;
};

/** Lets the batch look at itself until a check holds. */
async function until(id: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) {
    await runDurableObjectAlarm(env.BATCH.getByName(id));
    await scheduler.wait(50);
  }
}

/** Ends the keeper of the batch in the midst of whatever it does: whoever has called it hears nothing. */
async function killed(id: string): Promise<void> {
  const abort = runInDurableObject(env.BATCH.getByName(id), (_, state) => state.abort("killed"));
  await expect(abort).rejects.toThrow();
  // Whoever worked for it is taken for dead when his lease is over.
  laterMs += OBJECT_LEASE_MS;
}

interface Found {
  readonly results: number;
  /** What is not as it should be. */
  readonly wrong: readonly string[];
}

/** Every object of the bucket with what its owner has put there. */
async function compared(): Promise<Found> {
  const wrong: string[] = [];
  let results = 0;
  const look = async ([name, { bytes, type, writes: times }]: readonly [string, Owned]): Promise<void> => {
    const path = name.split("/").map(encodeURIComponent).join("/");
    const answer = await fetch(`${storeUrl}/${BUCKET}/${path}`);
    const lies = new Uint8Array(await answer.arrayBuffer());
    const isResult = answer.headers.has(MARK);
    if (!answer.ok) wrong.push(`${name}: lost`);
    if (answer.headers.get("cache-control") !== "max-age=60") wrong.push(`${name}: a header is lost`);
    if (answer.headers.get("content-type") !== type) wrong.push(`${name}: another type`);
    if (times !== (isResult ? 1 : 0)) wrong.push(`${name}: this version was written ${times} times`);
    if (!isResult && !isSame(lies, bytes)) wrong.push(`${name}: changed without a mark`);
    if (!isResult) return;
    results += 1;
    if (lies.length > bytes.length * 0.95) wrong.push(`${name}: a result that saves too little`);
    if (!((await likenessOf(lies, bytes)) >= ALIKE_DB)) wrong.push(`${name}: the result of another picture`);
  };
  const all = [...owned];
  await inParts(all.length, (n) => look(all[n] as [string, Owned]));
  return { results, wrong };
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

/** Of two pictures, in decibels; -Infinity where their sizes differ. */
async function likenessOf(one: Uint8Array, other: Uint8Array): Promise<number> {
  const [a, b] = await Promise.all([shown(one), shown(other)]);
  if (a.length !== b.length) return -Infinity;
  const squares = a.reduce((sum, level, at) => sum + (level - (b[at] ?? 0)) ** 2, 0);
  return 10 * Math.log10((255 ** 2 * a.length) / squares);
}

it("is whole after its keeper was killed, a pause, and a store that fails", async () => {
  const source = { connector };
  const json = { source, target: "in-place", optimize: { quality: 80 } };
  const { id } = (await api("POST", "/1.0/batches", { key, json })).body.batch;
  await until(id, async () => (await overOf(id)) > OBJECTS * 0.15);
  await killed(id);
  await until(id, async () => (await overOf(id)) > OBJECTS * 0.35);
  await api("POST", `/1.0/batches/${id}/pause`, { key });
  for (let n = 7; n < OBJECTS; n += REPLACED) await own(n, n + OBJECTS);
  await api("POST", `/1.0/batches/${id}/resume`, { key });
  await until(id, async () => (await overOf(id)) > OBJECTS * 0.6);
  let [refused, lost] = [0, 0];
  trouble = ({ method }) => {
    if (method === "PUT" && lost < UNANSWERED && (lost += 1)) return "lose";
    return refused < REFUSED && (refused += 1) ? "refuse" : null;
  };
  await until(id, () => lost === UNANSWERED && refused === REFUSED);
  trouble = null;
  await until(id, async () => (await overOf(id)) > OBJECTS * 0.85);
  await killed(id);
  await until(id, async () => (await show(id)).state === "done");
  const { counts } = await show(id);
  const { results, wrong } = await compared();
  expect(wrong).toEqual([]);
  expect(counts.found).toBe(OBJECTS);
  expect(counts.done + counts.skipped + counts.failed).toBe(OBJECTS);
  // What was replaced after its turn, or in the midst of it, has no result, and was written once before.
  expect([counts.done, counts.failed]).toEqual([writes, OBJECTS / DAMAGED]);
  expect(results).toBeGreaterThan(OBJECTS * 0.7);
  expect(results).toBeLessThanOrEqual(counts.done);
});
