/**
 * What a crowd gets of one isolate: `PHOTOS=a.jpg npm run bench -- crowd`. Piles of requests are sent with 1 to 32 in flight,
 * each once: the share that is refused, how long an answer takes, and the throughput as a share of that of one at a time,
 * beside sharp on one thread with the same pile. Then the cases in which callers stand in each other's way. `PILES`,
 * `LEVELS` and `CASES` choose a part of it.
 */
import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { startLocal } from "../../src/cli/local.ts";
import { CASES } from "./crowd-cases.ts";
import { type Answered, openedAccount, type Pile, PILES, type Place, send, sendSlowly, sharpMs } from "./crowd-load.ts";
import { chosen } from "./given.ts";
import { coreWaitSeconds, runtimeSeconds } from "./runtime-process.ts";

const TOKEN = "bench-token-of-the-operator";
const LEVELS = (process.env["LEVELS"] ?? "1 2 4 8 16 32").split(" ").map(Number);

export async function main(): Promise<void> {
  const state = await mkdtemp(join(tmpdir(), "bench-"));
  const variables = {
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_ORIGINS: "true",
    RATE_LIMIT: "1000000000",
    VAULT_KEY: randomBytes(32).toString("base64"),
  };
  const service = await startLocal({ host: "127.0.0.1", port: 0, state, variables, quiet: true });
  try {
    const key = await openedAccount(service.url, TOKEN);
    const place: Place = { base: service.url, token: TOKEN, key };
    for (const name of chosen("PILES", Object.keys(PILES))) await told(name, place);
    for (const name of chosen("CASES", Object.keys(CASES))) console.log(`${name}: ${await CASES[name]?.(place)}`);
  } finally {
    await service.stop();
    await rm(state, { recursive: true, force: true });
  }
}

async function told(name: string, place: Place): Promise<void> {
  const make = PILES[name];
  if (!make) return;
  const pile = await make();
  // The compiler has seen everything once.
  await all(pile, 4, place);
  const sharp = await sharpMs(pile);
  console.log(`\n${name}: ${pile.jobs.length} requests; sharp on one thread ${(sharp / 1000).toFixed(1)} s`);
  console.log("in flight  refused      p50      p95   throughput  processor time  of one at a time");
  let single: { readonly rate: number; readonly cpu: number } | undefined;
  for (const level of LEVELS) {
    const before = await counts(place);
    const [cpuBefore, waitedBefore] = [await runtimeSeconds(), await coreWaitSeconds()];
    const since = performance.now();
    const answers = await all(pile, level, place);
    const seconds = (performance.now() - since) / 1_000;
    const cpu = (await runtimeSeconds()) - cpuBefore;
    const done = answers.filter(({ status }) => status === 200);
    const times = done.map(({ ms }) => ms).toSorted((a, b) => a - b);
    const at = (share: number) => ((times[Math.floor(share * (times.length - 1))] ?? Number.NaN) / 1_000).toFixed(2);
    // Without what others on the machine took: what is left is the service's own.
    const rate = done.length / (seconds - ((await coreWaitSeconds()) - waitedBefore));
    single ??= { rate, cpu: cpu / done.length };
    const after = await counts(place);
    const refused = answers.filter(({ status }) => status === 503).length;
    const others = answers.length - done.length - refused;
    const ratio = (rate / single.rate).toFixed(2);
    const cpuRatio = (cpu / done.length / single.cpu).toFixed(2);
    const share = `${((100 * refused) / answers.length).toFixed(1)} %`;
    console.log(
      `${String(level).padStart(9)} ${share.padStart(8)} ${at(0.5).padStart(6)} s ${at(0.95).padStart(6)} s ${rate.toFixed(1).padStart(8)} /s ${cpu.toFixed(1).padStart(13)} s  ${ratio} (by processor time ${cpuRatio})${others ? `, ${others} others` : ""}; ${toldSince(before, after)}`,
    );
  }
}

/** Sends a pile with so many in flight, in the order in which it lies. */
async function all({ jobs, slow }: Pile, level: number, place: Place): Promise<Answered[]> {
  const answers: Answered[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    for (let job = jobs[next++]; job; job = jobs[next++]) answers.push(await send(job, place));
  };
  const uploading = slow && sendSlowly(slow, place, 500_000);
  await Promise.all(Array.from({ length: level }, caller));
  await uploading;
  return answers;
}

/** Counts of the service: how often the engine was made to collect and for how long, and how many instances were given up. */
interface Counts {
  readonly collections: number;
  readonly seconds: number;
  readonly replaced: number;
}

async function counts({ base, token }: Place): Promise<Counts> {
  const answer = await fetch(new URL("/metrics", base), { headers: { authorization: `Bearer ${token}` } });
  const text = await answer.text();
  const sum = (name: string) =>
    [...text.matchAll(new RegExp(`_${name}\\{[^}]*\\} (\\S+)`, "g"))].reduce(
      (all, [, value]) => all + Number(value),
      0,
    );
  return {
    collections: sum("collections_total"),
    seconds: sum("collection_seconds_total"),
    replaced: sum("native_replacements_total"),
  };
}

function toldSince(before: Counts, after: Counts): string {
  const seconds = (after.seconds - before.seconds).toFixed(2);
  const { collections, replaced } = after;
  return `${collections - before.collections} collections of ${seconds} s, ${replaced - before.replaced} instances given up`;
}
