/**
 * Pictures by address on the running service: `PHOTOS=phone.jpg taskset -c 1 npm run bench -- delivery`, a JPEG of about 12
 * megapixels. What a hit, a stored hit, a draft and a final take of the processor (all threads of the runtime, with its
 * simulators of the platform; Linux only), the draft beside sharp, which decodes, resizes and encodes the same in this
 * process; then views of many results at once, from the first one on.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import sharp from "sharp";

import { DEMO_KEY, startLocal } from "../../src/cli/local.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";
import { runtimeMs } from "./runtime.ts";

const ROUNDS = 5;
/** Hits are too short to be told apart from what a runtime does besides. */
const HITS = 100;
const WIDTH = 800;
const LOAD_VIEWS = 2_000;
const LOAD_RESULTS = 50;
const LOAD_AT_ONCE = 32;
/** The widths of the load's results, and the picture that they are made of. */
const LOAD_WIDTH = 100;
const LOAD_SIDE = 640;
const BROWSER = { accept: "image/avif,image/webp,image/*,*/*;q=0.8" };
const OLDER = { accept: "image/webp,*/*" };
/** What drafts are encoded at. */
const DRAFT_QUALITY = 80;

interface Bench {
  readonly url: URL;
  /** Addresses of a delivery that makes drafts, of one that makes finals at once, and of one that takes any option. */
  readonly refined: (name: string, width?: number, more?: string) => string;
  readonly final: (name: string, width?: number, more?: string) => string;
  readonly open: (name: string, options: string) => string;
  readonly photo: Buffer;
}

export async function main(): Promise<void> {
  const photo = readFileSync(given("PHOTOS")[0] ?? "");
  const small = await sharp(photo).resize(LOAD_SIDE).jpeg().toBuffer();
  const origin = createServer((request, response) => response.end(request.url?.includes("load") ? small : photo));
  await new Promise<void>((listening) => origin.listen(0, "127.0.0.1", listening));
  const prefix = `http://127.0.0.1:${(origin.address() as AddressInfo).port}/`;
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const variables = { ALLOW_PRIVATE_ORIGINS: "true", VAULT_KEY: Buffer.alloc(32, 1).toString("base64") };
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
  try {
    const widths = Array.from({ length: LOAD_RESULTS }, (_, index) => LOAD_WIDTH + index);
    const rules = { sources: [{ kind: "web", prefix }], unsigned: { widths: [WIDTH, ...widths], formats: ["jpeg"] } };
    const [refined, final] = await Promise.all([
      made(service.url, rules),
      made(service.url, { ...rules, refine: false }),
    ]);
    const of =
      (base: string) =>
      (name: string, width = WIDTH, more = "") =>
        `${base}/w=${width}${more}/${name}.jpg`;
    const open = (name: string, options: string) =>
      new URL(`/imgproxy/demo/unsafe/${options}/plain/${prefix}${name}.jpg`, service.url).href;
    const bench = { url: service.url, refined: of(refined), final: of(final), open, photo };
    await costs(bench);
    await load(bench);
  } finally {
    await service.stop();
    origin.close();
    await rm(state, { recursive: true, force: true });
  }
}

/** What the addresses of a new delivery begin with. */
async function made(url: URL, rules: object): Promise<string> {
  const answer = await fetch(new URL("/1.0/deliveries", url), {
    method: "POST",
    headers: { authorization: `Bearer ${DEMO_KEY}`, "content-type": "application/json" },
    body: JSON.stringify(rules),
  });
  const { delivery } = (await answer.json()) as { delivery: { url: string } };
  return delivery.url;
}

/** One thing that is measured, `times` over in each round. */
interface Row {
  readonly name: string;
  readonly times?: number;
  readonly run: (round: number) => Promise<unknown>;
  /** The processor time until now. */
  readonly clock?: () => number | Promise<number>;
  /** Between two rounds: work that the row has left behind. */
  readonly rest?: (round: number) => Promise<unknown>;
}

async function costs(bench: Bench): Promise<void> {
  const { final, open, photo } = bench;
  const own = () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000;
  };
  const rows: readonly Row[] = [
    {
      name: "sharp: decode, resize, encode",
      clock: own,
      run: () => sharp(photo).resize(WIDTH).jpeg({ quality: DRAFT_QUALITY }).toBuffer(),
    },
    {
      name: "draft",
      run: (round) => view(open(`draft-${round}`, `w:${WIDTH}`), "miss"),
      rest: (round) => finalOf(bench, `draft-${round}`),
    },
    { name: "one encoding: f=jpeg,q=75", run: (round) => view(final(`one-${round}`, WIDTH, ",f=jpeg,q=75"), "miss") },
    { name: "final, for browsers with AVIF", run: (round) => view(final(`avif-${round}`), "miss") },
    { name: "final, for browsers with WebP", run: (round) => view(final(`webp-${round}`), "miss", OLDER) },
    { name: "final, JPEG", run: (round) => view(final(`jpeg-${round}`, WIDTH, ",f=jpeg"), "miss") },
    { name: "stored hit", times: HITS, run: (round) => storedHits(bench, round) },
    { name: "hit", times: HITS, run: () => hits(bench) },
    { name: "health: a request and nothing else", times: HITS, run: () => health(bench.url) },
  ];
  console.log("  processor time and clock of one, ms: median (all)");
  for (const row of rows) await measured(row);
}

async function measured({ name, times = 1, run, clock = runtimeMs, rest }: Row): Promise<void> {
  const [spent, took]: [number[], number[]] = [[], []];
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    const [before, startedAt] = [await clock(), performance.now()];
    await run(round);
    const clocked = performance.now() - startedAt;
    const processor = (await clock()) - before;
    await rest?.(round);
    if (round === 0) continue;
    spent.push(processor / times);
    took.push(clocked / times);
  }
  const digits = times > 1 ? 2 : 0;
  const shown = spent.map((one) => one.toFixed(digits)).join(" ");
  const [cpu, clockMs] = [median(spent), median(took)].map((one) => one.toFixed(digits).padStart(8));
  console.log(`  ${name.padEnd(36)} ${cpu} ${clockMs}   (${shown})`);
}

const STORED = `w:${WIDTH}/q:75/f:jpg`;

/** Views of a result that is in the bucket and not at the edge: each name of the file makes another answer of one object. */
async function storedHits({ open }: Bench, round: number): Promise<void> {
  if (round === 0) await view(open("stored", STORED));
  for (let one = 0; one < HITS; one++) await view(open("stored", `${STORED}/fn:${round}-${one}`), "stored");
}

async function hits({ open }: Bench): Promise<void> {
  await view(open("stored", STORED));
  for (let one = 0; one < HITS; one++) await view(open("stored", STORED), "hit");
}

async function health(url: URL): Promise<void> {
  for (let one = 0; one < HITS; one++) await (await fetch(new URL("/health", url))).arrayBuffer();
}

/** Waits until a picture's final is there, and says how long that took; the edge is asked for another answer each time. */
async function finalOf({ open }: Bench, name: string): Promise<void> {
  const startedAt = performance.now();
  for (let look = 0; ; look++) {
    const answer = await fetch(open(name, `w:${WIDTH}/fn:look-${look}`), { headers: BROWSER });
    await answer.arrayBuffer();
    if (answer.headers.get("x-service-rendition") === "final") break;
    await wait(250);
  }
  console.log(`  final ${((performance.now() - startedAt) / 1_000).toFixed(1)} s after the draft`);
}

/** @throws Error when the answer is no picture, or came from elsewhere */
async function view(url: string, cache?: string, headers: Record<string, string> = BROWSER): Promise<void> {
  const answer = await fetch(url, { headers });
  await answer.arrayBuffer();
  const found = answer.headers.get("x-service-cache");
  if (answer.status !== 200 || (cache !== undefined && found !== cache)) {
    throw new Error(`${answer.status} ${found} instead of ${cache ?? "a picture"}`);
  }
}

/** Views of many results, several at a time, from the first one on: what is not there yet is made meanwhile. */
async function load(bench: Bench): Promise<void> {
  const urls = Array.from({ length: LOAD_RESULTS }, (_, index) => bench.refined("load", LOAD_WIDTH + index));
  let next = 0;
  const latencies: number[] = [];
  const statuses = new Map<number, number>();
  const connection = async (): Promise<void> => {
    while (next < LOAD_VIEWS) {
      const url = urls[next++ % urls.length] ?? "";
      const startedAt = performance.now();
      const answer = await fetch(url, { headers: BROWSER });
      await answer.arrayBuffer();
      latencies.push(performance.now() - startedAt);
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: LOAD_AT_ONCE }, connection));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = latencies.toSorted((one, another) => one - another);
  const share = (part: number) => sorted[Math.floor(sorted.length * part)]?.toFixed(1);
  const found = [...statuses].map(([status, times]) => `${times} × ${status}`).join(", ");
  console.log(
    `  ${LOAD_VIEWS} views of ${LOAD_RESULTS} results, ${LOAD_AT_ONCE} at a time, in ${seconds.toFixed(1)} s: ${found}`,
  );
  console.log(`  p50 ${share(0.5)} ms, p95 ${share(0.95)} ms, the slowest ${sorted.at(-1)?.toFixed(0)} ms`);
  console.log(`  made: ${JSON.stringify(await madeBy(bench))}`);
}

/** What the load had made, as the service counted it. */
async function madeBy({ url, refined }: Bench): Promise<object> {
  const [, , id] = new URL(refined("load")).pathname.split("/");
  const headers = { authorization: `Bearer ${DEMO_KEY}` };
  const answer = await fetch(new URL("/1.0/account/usage?limit=100", url), { headers });
  const { deliveries } = (await answer.json()) as { deliveries: ({ delivery_id: string } & Record<string, number>)[] };
  const found = deliveries.find(({ delivery_id: delivery }) => delivery === id);
  return { drafts: found?.["drafts"], finals: found?.["finals"], stored_hits: found?.["stored_hits"] };
}
