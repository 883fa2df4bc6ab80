/**
 * `npm run prove`: what the platform's documents do not say, asked of the platform. A deployment of its own is made, asked
 * for some minutes, and taken away again.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline/promises";
import { setTimeout as wait } from "node:timers/promises";

import { countedIn } from "./analytics.ts";
import { SETTINGS } from "./deployment.ts";
import { Client } from "./prove/client.ts";
import { type Found, MEASURES, type Plan } from "./prove/measures.ts";
import { cloudPlace, Foreign, localPlace, type Place } from "./prove/place.ts";
import { MOST_DOLLARS, Spending } from "./prove/spending.ts";
import { stopRequest } from "./terminal.ts";
import { ROOT } from "./wrangler.ts";

const HELP = `npm run prove              asks the platform what its documents do not say: some fifteen minutes
npm run prove -- --local   the same in the local runtime, for a minute: what this machine does says little of the platform
npm run prove -- --short   less of everything
npm run prove -- --clean   takes away what a run has left that was cut off
  --yes                    does not ask before it begins

It makes a Worker, a bucket, a database and a queue of its own in your account, named "…-prove", sends some hundred
requests, and deletes all of them. It needs the Workers Paid plan and "npx wrangler login", or CLOUDFLARE_API_TOKEN with
CLOUDFLARE_ACCOUNT_ID. A token that may read Account Analytics has it say, too, what was billed as processor time.`;

const WHOLE: Plan = {
  uploads: 100,
  uploadBytes: 2_000_000,
  uploadMs: 8_000,
  cold: 20,
  warm: 20,
  calls: 20,
  looks: 10,
  computations: 10,
  steps: 32,
  logMs: 5_000,
};
const SHORT: Plan = {
  uploads: 8,
  uploadBytes: 300_000,
  uploadMs: 300,
  cold: 3,
  warm: 3,
  calls: 3,
  looks: 3,
  computations: 1,
  steps: 2,
  logMs: 500,
};
/** After that nothing more is asked. */
const MOST_MS = 15 * 60_000;
/** How far behind the platform's analytics are. */
const ANALYTICS_MS = 4 * 60_000;

interface Order {
  readonly isLocal: boolean;
  readonly isShort: boolean;
  readonly isClean: boolean;
  readonly isAgreed: boolean;
}

/** @throws Error where somebody has to agree and does not */
async function agree({ isLocal, isClean, isAgreed }: Order, { titles }: Place): Promise<void> {
  const list = titles.map((title) => `  ${title}`).join("\n");
  const does = isClean ? "deletes these, with all that is in them" : "makes these, and deletes them at its end";
  const costs = isLocal
    ? ""
    : `\nIt costs at most $${MOST_DOLLARS.toFixed(2)} beyond what the plan includes, and mostly nothing.`;
  console.log(`This ${does}:\n${list}${costs}`);
  if (isAgreed) return;
  if (!process.stdin.isTTY) throw new Error("Nobody is there to be asked: say --yes");
  const asking = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await asking.question("Go on? (yes) ");
  asking.close();
  if (answer.trim() !== "yes") throw new Error("Nothing was done");
}

/** Whatever a measure cannot find out keeps no other from doing so. */
async function measured(client: Client, plan: Plan, place: Place, until: AbortSignal): Promise<Found[]> {
  const jpeg = await readFile(join(ROOT, "src", "playground", "sample.jpg"));
  const found: Found[] = [];
  for (const [name, measure] of Object.entries(MEASURES)) {
    if (until.aborted) break;
    console.error(`… ${name}`);
    try {
      found.push(...(await measure({ client, plan, jpeg, logged: place.logged })));
    } catch (error) {
      found.push({ question: `Not found out: ${name}`, answer: error instanceof Error ? error.message : "an error" });
    }
  }
  return found;
}

/** What the platform bills as processor time, of the Worker and of its objects together. */
async function billed(worker: string, since: Date, until: AbortSignal): Promise<Found[]> {
  if (process.env["CLOUDFLARE_API_TOKEN"] === undefined || process.env["CLOUDFLARE_ACCOUNT_ID"] === undefined)
    return [];
  console.error("… the platform's analytics, which are some minutes behind");
  const question = "Processor time that the platform counts for this Worker";
  try {
    await wait(ANALYTICS_MS, undefined, { signal: until });
    const { workers } = await countedIn(since, new Date(), HELP);
    const ours = workers.filter(({ dimensions }) => dimensions?.["scriptName"] === worker);
    const ms = ours.reduce((sum, { sum: of }) => sum + (of?.["cpuTimeUs"] ?? 0) / 1_000, 0);
    const says = "with that of objects where it is as much as the log says of both";
    return [{ question, answer: `${Math.round(ms)} ms: ${says}` }];
  } catch (error) {
    return [{ question, answer: error instanceof Error ? error.message.split("\n", 1).join("") : "not told" }];
  }
}

function report(found: readonly Found[]): string {
  const width = Math.max(...found.map(({ question }) => question.length));
  const row = (left: string, right: string) => `| ${left.padEnd(width)} | ${right} |`;
  return [
    row("Asked", "Found"),
    row("-".repeat(width), "---"),
    ...found.map((one) => row(one.question, one.answer)),
  ].join("\n");
}

async function prove(order: Order): Promise<void> {
  const { isLocal, isShort, isClean } = order;
  const settings = await readFile(SETTINGS, "utf8").catch(() => undefined);
  const place = isLocal ? localPlace() : await cloudPlace(settings, isClean);
  await agree(order, place);
  const stopping = new AbortController();
  void stopRequest().then(() => stopping.abort(new Error("It was stopped")));
  const until = AbortSignal.any([stopping.signal, AbortSignal.timeout(MOST_MS)]);
  const spending = new Spending();
  const since = new Date();
  let client: Client | undefined;
  let isForeign = false;
  try {
    const reached = await place.make();
    client = new Client(reached, spending, until);
    if (isClean) return;
    await ready(client, until);
    const found = await measured(client, isShort || isLocal ? SHORT : WHOLE, place, until);
    if (!isLocal && !isShort) found.push(...(await billed(place.titles[0]?.split('"')[1] ?? "", since, until)));
    console.log(`\n${report(found)}\n\nIt has cost at most $${spending.dollars.toFixed(3)}.`);
  } catch (error) {
    isForeign = error instanceof Foreign;
    throw error;
  } finally {
    if (!isForeign) await clean(place, client);
  }
}

/** A new host name takes some seconds until it leads anywhere. */
async function ready(client: Client, until: AbortSignal): Promise<void> {
  for (let looks = 0; ; looks += 1) {
    const answer = await client.ask("/health").catch(() => undefined);
    if (answer?.isolate) return;
    if (until.aborted || looks >= 60) throw new Error("The deployment does not answer");
    await wait(2_000);
  }
}

async function clean(place: Place, client: Client | undefined): Promise<void> {
  const left = await place.remove(client);
  if (left.length === 0) return console.log("Everything that was made is deleted.");
  process.exitCode = 1;
  console.error(`Left in the account, and to be deleted by hand:\n${left.map((one) => `  ${one}`).join("\n")}`);
}

const flags = process.argv.slice(2);
const KNOWN = ["--local", "--short", "--clean", "--yes"];
try {
  if (flags.includes("--help")) console.log(HELP);
  else if (flags.some((flag) => !KNOWN.includes(flag))) throw new Error(HELP);
  else {
    const has = (flag: string) => flags.includes(flag);
    await prove({ isLocal: has("--local"), isShort: has("--short"), isClean: has("--clean"), isAgreed: has("--yes") });
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
// A terminal, or a signal that is waited for, keeps nothing alive.
process.exit();
