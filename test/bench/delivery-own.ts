/**
 * What the Worker's own code takes of the processor for pictures by address, the platform's pieces replaced by maps in
 * this process: `PHOTOS=phone.jpg npm run bench -- delivery-own`, a JPEG of about 12 megapixels. Beside it sharp, which
 * decodes, resizes and encodes the same. The clock of a busy machine says nothing, so that processor time is counted.
 */
import { readFileSync } from "node:fs";

import sharp from "sharp";

import { createApp } from "../../src/http/app.ts";
import { pipeline } from "../../src/pipeline/edges.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";

const ROUNDS = 9;
const HITS = 500;
const WIDTH = 800;
/** What drafts are encoded at. */
const DRAFT_QUALITY = 80;
const ACCEPT = { accept: "image/avif,image/webp,image/*,*/*;q=0.8" };
const OLDER = { accept: "image/webp,*/*" };
const SOURCE = "https://www.example.com";

type Ask = (options: string, name: string, cache: string, headers?: Record<string, string>) => Promise<void>;

export async function main(): Promise<void> {
  // The service writes a line for every request.
  const { log } = console;
  console.log = (line: unknown) => void (String(line).startsWith("{") || log(line));
  const photo = readFileSync(given("PHOTOS")[0] ?? "");
  Object.assign(globalThis, { FixedLengthStream });
  globalThis.fetch = async () => new Response(photo, { headers: { "content-length": String(photo.length) } });
  const ask = { draft: service(true), final: service(false) };
  let hit = 0;
  const stored = async () => {
    for (let one = 0; one < HITS; one++) await ask.final(`w:${WIDTH}/q:75/f:jpg/fn:${hit++}`, "stored", "stored");
  };
  const edge = async () => {
    for (let one = 0; one < HITS; one++) await ask.final(`w:${WIDTH}/q:75/f:jpg`, "stored", "hit");
  };
  await ask.final(`w:${WIDTH}/q:75/f:jpg`, "stored", "miss");
  const encoded = () => sharp(photo).resize(WIDTH).jpeg({ quality: DRAFT_QUALITY }).toBuffer();
  await measured("sharp: decode, resize, encode", ROUNDS, 1, encoded);
  await measured("draft", ROUNDS, 1, (round) => ask.draft(`w:${WIDTH}`, `draft-${round}`, "miss"));
  await measured("stored hit", ROUNDS, HITS, stored);
  await measured("hit", ROUNDS, HITS, edge);
  await measured("final, JPEG", 3, 1, (round) => ask.final(`w:${WIDTH}/f:jpg`, `jpeg-${round}`, "miss"));
  await measured("final, WebP", 3, 1, (round) => ask.final(`w:${WIDTH}`, `webp-${round}`, "miss", OLDER));
  await measured("final, AVIF", 3, 1, (round) => ask.final(`w:${WIDTH}`, `avif-${round}`, "miss"));
}

/** What the platform has in place of a stream of any length. */
class FixedLengthStream extends TransformStream<Uint8Array, Uint8Array> {
  constructor(_length: number) {
    super();
  }
}

async function measured(
  name: string,
  rounds: number,
  times: number,
  work: (round: number) => Promise<unknown>,
): Promise<void> {
  const spent: number[] = [];
  // The first round is for the compiler.
  for (let round = 0; round <= rounds; round++) {
    const before = process.cpuUsage();
    await work(round);
    const { user, system } = process.cpuUsage(before);
    if (round > 0) spent.push((user + system) / 1_000 / times);
  }
  const digits = times > 1 ? 2 : 0;
  const [least, most] = [Math.min(...spent), Math.max(...spent)].map((one) => one.toFixed(digits));
  console.log(`  ${name.padEnd(32)} ${median(spent).toFixed(digits).padStart(8)} ms (${least} to ${most})`);
}

/** The service with one delivery that takes any option, its platform in this process. */
function service(refine: boolean): Ask {
  const app = createApp(pipeline);
  const kept = new Map<string, { bytes: Uint8Array; headers: Headers }>();
  Object.assign(globalThis, { caches: { default: edgeIn(kept) } });
  const env = { ...platform(refine), ALLOW_PRIVATE_ORIGINS: "true" } as unknown as Env;
  return async (options, name, cache, headers = ACCEPT) => {
    const path = `/imgproxy/dl_${refine ? "drafts" : "finals"}0123456789/unsafe/${options}/plain/${SOURCE}/${name}.jpg`;
    const deferred: Promise<unknown>[] = [];
    const context = { waitUntil: (work: Promise<unknown>) => void deferred.push(work) } as unknown as ExecutionContext;
    const answer = await app.fetch(new Request(`https://bench.test${path}`, { headers }), env, context);
    const body = await answer.arrayBuffer();
    const found = answer.headers.get("x-service-cache");
    if (answer.status !== 200 || found !== cache) {
      throw new Error(`${answer.status} ${found} instead of ${cache}: ${new TextDecoder().decode(body.slice(0, 300))}`);
    }
  };
}

function edgeIn(kept: Map<string, { bytes: Uint8Array; headers: Headers }>) {
  return {
    match: async ({ url }: Request) => {
      const known = kept.get(url);
      return known && new Response(known.bytes as BodyInit, { headers: known.headers });
    },
    put: async ({ url }: Request, answer: Response) => {
      kept.set(url, { bytes: new Uint8Array(await answer.arrayBuffer()), headers: answer.headers });
    },
  };
}

/** As much of the bindings as pictures by address touch. */
function platform(refine: boolean): object {
  const objects = new Map<string, { bytes: Uint8Array; options: { customMetadata: Record<string, string> } }>();
  const row = {
    id: refine ? "dl_drafts0123456789" : "dl_finals0123456789",
    account_id: "one",
    sources: "[]",
    presets: "{}",
    unsigned: "{}",
    refine: Number(refine),
    ttl: 604_800,
    is_open: 1,
    signing: null,
    purged_at: 0,
    edition: 0,
    database: "DB",
    credits_total: 1_000_000,
  };
  const statement = (sql: string) => ({
    bind: () => statement(sql),
    first: async () => (sql.includes("FROM deliveries JOIN") ? row : null),
    run: async () => ({ meta: { changes: 1 } }),
  });
  return {
    DB: { prepare: statement, batch: async () => [] },
    METER: {
      getByName: () => ({ take: async () => ({ lease: 1 }), settle: async () => null, release: async () => null }),
    },
    QUEUE: { send: async () => null },
    BUCKET: {
      get: async (key: string) => {
        const object = objects.get(key);
        if (!object) return null;
        const { bytes, options } = object;
        const response = new Response(bytes as BodyInit);
        const { customMetadata } = options;
        return { customMetadata, uploaded: new Date(), body: response.body, arrayBuffer: () => response.arrayBuffer() };
      },
      put: async (key: string, bytes: Uint8Array, options: { customMetadata: Record<string, string> }) =>
        void objects.set(key, { bytes: bytes.slice(), options }),
    },
  };
}
