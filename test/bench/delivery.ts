/**
 * Pictures by address on the running service: `PHOTOS=phone.jpg npm run bench -- delivery`, a JPEG of about 12 megapixels.
 * How long the first view at 800 pixels takes, and the engine's part of it, beside sharp, which decodes, resizes and encodes the same in this process;
 * how long a stored hit takes; and how many views a second are served of 50 results, 32 at a time.
 */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

import sharp from "sharp";

import { startLocal } from "../../src/cli/local.ts";
import { given } from "./given.ts";
import { median } from "./harness.ts";

const ROUNDS = 7;
const WIDTH = 800;
const LOAD_VIEWS = 2_000;
const LOAD_RESULTS = 50;
const LOAD_AT_ONCE = 32;
const ACCEPT = { accept: "image/avif,image/webp,image/*,*/*;q=0.8" };
/** What drafts are encoded at. */
const DRAFT_QUALITY = 80;

export async function main(): Promise<void> {
  const photo = readFileSync(given("PHOTOS")[0] ?? "");
  const origin = createServer((_, response) => response.end(photo));
  await new Promise<void>((listening) => origin.listen(0, "127.0.0.1", listening));
  const { port } = origin.address() as AddressInfo;
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const variables = { ALLOW_PRIVATE_ORIGINS: "true" };
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
  const address = (options: string, name: string) =>
    new URL(`/i/demo/${options}/http://127.0.0.1:${port}/${name}.jpg`, service.url).href;
  try {
    await firstViews(photo, address);
    await load(address);
  } finally {
    await service.stop();
    origin.close();
    await rm(state, { recursive: true, force: true });
  }
}

type Address = (options: string, name: string) => string;

async function firstViews(photo: Buffer, address: Address): Promise<void> {
  const times = {
    draft: [] as number[],
    engine: [] as number[],
    sharp: [] as number[],
    stored: [] as number[],
    edge: [] as number[],
  };
  // The first round is for the compiler.
  for (let round = 0; round <= ROUNDS; round++) {
    const keep = (list: number[], milliseconds: number) => round > 0 && list.push(milliseconds);
    keep(times.sharp, await timed(() => sharp(photo).resize(WIDTH).jpeg({ quality: DRAFT_QUALITY }).toBuffer()));
    let engine = 0;
    const first = async () => (engine = await view(address(`w=${WIDTH}`, `first-${round}`), "miss"));
    keep(times.draft, await timed(first));
    keep(times.engine, engine);
    // The final has the thread until it is made.
    await finalOf(address(`w=${WIDTH}`, `first-${round}`));
    // Another name of the file, or none, is another answer at the edge, and the same object.
    await view(address(`w=${WIDTH},f=jpeg,q=80`, `stored-${round}`), "miss");
    const spelled = address(`w=${WIDTH},f=jpeg,q=80`, `stored-${round}`).replace("/i/demo/", "/imgproxy/demo/unsafe/");
    const other = spelled.replace(`w=${WIDTH},f=jpeg,q=80`, `w:${WIDTH}/q:80/f:jpg/fn:x/plain`);
    keep(times.stored, await timed(() => view(other, "stored")));
    keep(times.edge, await timed(() => view(other, "hit")));
  }
  for (const [name, list] of Object.entries(times)) {
    const sorted = list.toSorted((one, another) => one - another);
    console.log(
      `${name.padEnd(8)} ${median(list).toFixed(1)} ms (${sorted[0]?.toFixed(1)} to ${sorted.at(-1)?.toFixed(1)})`,
    );
  }
}

/** Waits until an address shows its final; every look asks the edge for another file name. */
async function finalOf(url: string): Promise<void> {
  for (let look = 0; ; look++) {
    const asked = url
      .replace("/i/demo/", "/imgproxy/demo/unsafe/")
      .replace(`w=${WIDTH}/`, `w:${WIDTH}/fn:${look}/plain/`);
    const answer = await fetch(asked, { headers: ACCEPT });
    await answer.arrayBuffer();
    if (answer.headers.get("x-service-rendition") === "final") return;
    await wait(250);
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

/**
 * Milliseconds that decoding, operations and encoding took, as the answer says.
 * @throws Error when the answer is no picture, or came from elsewhere
 */
async function view(url: string, cache?: string): Promise<number> {
  const answer = await fetch(url, { headers: ACCEPT });
  await answer.arrayBuffer();
  const found = answer.headers.get("x-service-cache");
  if (answer.status !== 200 || (cache !== undefined && found !== cache)) {
    throw new Error(`${answer.status} ${found} instead of ${cache ?? "a picture"}`);
  }
  const parts = (answer.headers.get("server-timing") ?? "").matchAll(/(?:decode|operations|encode);dur=(\d+)/g);
  return parts.reduce((sum, [, milliseconds]) => sum + Number(milliseconds), 0);
}

async function load(address: Address): Promise<void> {
  const urls = Array.from({ length: LOAD_RESULTS }, (_, index) => address(`w=${100 + index},f=jpeg,q=80`, "load"));
  for (const url of urls) await view(url);
  let next = 0;
  const latencies: number[] = [];
  const connection = async (): Promise<void> => {
    while (next < LOAD_VIEWS) {
      const url = urls[next++ % urls.length] ?? "";
      latencies.push(await timed(() => view(url)));
    }
  };
  const all = await timed(() => Promise.all(Array.from({ length: LOAD_AT_ONCE }, connection)));
  const late = latencies.toSorted((one, another) => one - another)[Math.floor(latencies.length * 0.99)];
  const rate = (LOAD_VIEWS / all) * 1_000;
  console.log(
    `load     ${rate.toFixed(0)} views/s, median ${median(latencies).toFixed(1)} ms, 99 % ${late?.toFixed(1)} ms`,
  );
}
