/** What `npm run prove` finds out of a platform: each measure asks, and says what it saw in a few rows. */
import { setTimeout as wait } from "node:timers/promises";

import type { Answered, Client } from "./client.ts";
import { padded, uploadOf } from "./pictures.ts";
import type { Used } from "./spending.ts";
import type { Logged } from "./tail.ts";

/** How much of everything. */
export interface Plan {
  /** Uploads at once, their bytes, and the milliseconds over which each is sent. */
  readonly uploads: number;
  readonly uploadBytes: number;
  readonly uploadMs: number;
  /** Small uploads at once to isolates that have just begun, and one after another then. */
  readonly cold: number;
  readonly warm: number;
  /** Calls of each binding. */
  readonly calls: number;
  /** Addresses that are asked for again. */
  readonly looks: number;
  /** Computations in the Worker, and in an object. */
  readonly computations: number;
  /** Steps by which memory grows at most. */
  readonly steps: number;
  /** How long the log may come after its requests, milliseconds. */
  readonly logMs: number;
}

/** What was found of one question. */
export interface Found {
  readonly question: string;
  readonly answer: string;
}

interface Ports {
  readonly client: Client;
  readonly plan: Plan;
  readonly jpeg: Uint8Array;
  /** The log's lines of a request; none where the platform keeps none. */
  readonly logged: (name: string) => readonly Logged[];
}

const UPLOAD: Used = { writes: 1, calls: 3, objectRows: 3 };
const MEBIBYTE = 2 ** 20;
const STEP_BYTES = 8 * MEBIBYTE;
/** Loops of ten million steps. */
const COMPUTED_ROUNDS = 40;
const COLLECTED = { rounds: 8, bytes: 2 * MEBIBYTE };

type Measure = (ports: Ports) => Promise<Found[]>;

/** Accounts, keys and deliveries that measures need. */
async function opened({ client }: Ports): Promise<{ readonly key: string; readonly id: string }> {
  const account = { name: "Prove", credits_total: 100_000 };
  const { status, text } = await client.operate("/admin/accounts", account, { rows: 10 });
  if (status !== 201) throw new Error(`An account was answered with ${status}`);
  const { key, account: made } = JSON.parse(text) as { key: string; account: { id: string } };
  return { key, id: made.id };
}

const isolates: Measure = async ({ client, plan }) => {
  const { found } = await client.probe<{ place: string; switches: boolean; clockMs: number }>("isolate");
  const names = new Set<string>();
  for (let look = 0; look < plan.looks; look += 1) names.add((await client.probe("isolate")).isolate);
  return [
    { question: "Where it answers", answer: found.place || "not told" },
    {
      question: "Stack switching (JSPI)",
      answer: found.switches ? "there" : "absent: pictures do not make way for others",
    },
    {
      question: "The clock while an isolate computes",
      answer: found.clockMs === 0 ? "stands still" : `goes on: ${found.clockMs.toFixed(0)} ms`,
    },
    { question: `Isolates for ${plan.looks} requests one after another`, answer: String(names.size) },
  ];
};

/** Processor time of the first upload of isolates, and of later ones. */
const cpu: Measure = async (ports) => {
  const { client, plan, jpeg } = ports;
  const { key } = await opened(ports);
  const upload = () => client.ask("/1.0/upload", { ...uploadOf(jpeg, key, 0), used: UPLOAD });
  const answers = await Promise.all(Array.from({ length: plan.cold }, upload));
  for (let picture = 0; picture < plan.warm; picture += 1) answers.push(await upload());
  await wait(plan.logMs);
  const well = answers.filter(({ status }) => status === 200);
  if (well.length === 0) throw new Error(`Uploads were answered with ${answers[0]?.status}`);
  const first = well.filter((answer) => isFirstUpload(answer, well));
  const later = well.filter((answer) => !isFirstUpload(answer, well));
  return [
    { question: "The first upload of an isolate", answer: timesOf(first, ports) },
    { question: "Later uploads", answer: timesOf(later, ports) },
  ];
};

function isFirstUpload({ isolate, ofIsolate }: Answered, all: readonly Answered[]): boolean {
  return all.every((other) => other.isolate !== isolate || other.ofIsolate >= ofIsolate);
}

/** Many uploads at once, each as slow as a telephone's. */
const uploads: Measure = async (ports) => {
  const { client, plan, jpeg } = ports;
  const { key } = await opened(ports);
  const picture = padded(jpeg, plan.uploadBytes);
  const asked = Array.from({ length: plan.uploads }, () =>
    client.ask("/1.0/upload", { ...uploadOf(picture, key, plan.uploadMs), used: UPLOAD }),
  );
  const outcomes = await Promise.allSettled(asked);
  const answers = outcomes.flatMap((outcome) => (outcome.status === "fulfilled" ? [outcome.value] : []));
  const statuses = new Map<string, number>();
  const count = (status: string) => statuses.set(status, (statuses.get(status) ?? 0) + 1);
  for (const { status } of answers) count(String(status));
  for (const { status } of outcomes) if (status === "rejected") count("no answer");
  const names = new Set(answers.map(({ isolate }) => isolate).filter((name) => name !== ""));
  const refused = answers.filter(({ status }) => status === 503).length;
  return [
    { question: `Isolates for ${plan.uploads} uploads at once`, answer: String(names.size) },
    {
      question: "Of these, refused with 503",
      answer: `${refused} (${[...statuses].map(([status, many]) => `${status}: ${many}`).join(", ")})`,
    },
    { question: "Milliseconds until an upload is answered", answer: spread(answers.map(({ ms }) => ms)) },
  ];
};

const latency: Measure = async ({ client, plan }) => {
  const used: Used = { writes: plan.calls, reads: plan.calls, calls: plan.calls, operations: plan.calls * 3 };
  const { found } = await client.probe<Record<string, number[]>>("bindings", { rounds: plan.calls }, used);
  return Object.entries(found).map(([name, times]) => ({
    question: `Milliseconds to ${name}`,
    answer: spread(times),
  }));
};

/** What caches keep: the edge's own, one in front of the Worker, and pictures by address. */
const caches: Measure = async (ports) => {
  const { client, plan, jpeg } = ports;
  const { found } = await client.probe<{ isKept: boolean }>("edge");
  const front: Answered[] = [];
  const path = `/prove/front/${crypto.randomUUID()}`;
  for (let look = 0; look < plan.looks; look += 1) front.push(await client.ask(path));
  const { key, id: account } = await opened(ports);
  await client.operate(`/admin/accounts/${account}`, { originals: "/" }, { rows: 4 }, "PATCH");
  await putOriginal(client, jpeg);
  const rules = { sources: [{ kind: "bucket", name: "prove", path: "prove" }], unsigned: { widths: [400] } };
  const made = await client.ask("/1.0/deliveries", {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify(rules),
    used: { rows: 10 },
  });
  const states: string[] = [];
  if (made.status !== 201) throw new Error(`A delivery was answered with ${made.status}`);
  const { id } = (JSON.parse(made.text) as { delivery: { id: string } }).delivery;
  for (let look = 0; look < plan.looks; look += 1) {
    const used: Used = { writes: 1, reads: 3, rows: 10, operations: 3, calls: 3, objectRows: 3 };
    const { status, headers } = await client.ask(`/i/${id}/w=400/prove/sample.jpg`, { used });
    const inFront = headers.get("cf-cache-status");
    const said = headers.get("x-service-cache") ?? String(status);
    states.push(inFront === null ? said : `${said} (in front: ${inFront})`);
    // What is kept takes a moment to be there, and finals are made behind their drafts.
    await wait(plan.logMs / plan.looks);
  }
  return [
    { question: "`caches.default` on this host", answer: found.isKept ? "keeps" : "keeps nothing" },
    { question: "An answer that may be kept, asked for again", answer: frontOf(front) },
    { question: "A picture by address, asked for again", answer: runsOf(states) },
  ];
};

async function putOriginal(client: Client, jpeg: Uint8Array): Promise<void> {
  const { status } = await client.put("/prove/original", jpeg);
  if (status !== 200) throw new Error(`An original was answered with ${status}`);
}

function frontOf(answers: readonly Answered[]): string {
  const states = answers.map(({ headers }) => headers.get("cf-cache-status") ?? "none");
  const made = new Set(answers.map(({ text }) => text)).size;
  return `made ${made} times; \`CF-Cache-Status\` ${runsOf(states)}`;
}

/** `miss, stored ×3` */
function runsOf(states: readonly string[]): string {
  const runs: { state: string; many: number }[] = [];
  for (const state of states) {
    const last = runs.at(-1);
    if (last?.state === state) last.many += 1;
    else runs.push({ state, many: 1 });
  }
  return runs.map(({ state, many }) => (many === 1 ? state : `${state} ×${many}`)).join(", ");
}

/** The same computation in the Worker and in an object. */
const objects: Measure = async (ports) => {
  const { client, plan, logged } = ports;
  const rows: Found[] = [];
  for (const isInObject of [false, true]) {
    const answers: Answered[] = [];
    for (let round = 0; round < plan.computations; round += 1) {
      // An object is billed for as long as it computes.
      const used: Used = isInObject ? { calls: 1, gbSeconds: 2 } : {};
      answers.push(await client.probe("compute", { rounds: COMPUTED_ROUNDS, isInObject }, used));
    }
    await wait(plan.logMs);
    const lines = answers.flatMap(({ name }) => logged(name));
    const sum = (isObject: boolean) =>
      lines.filter((line) => line.isInObject === isObject).reduce((all, { cpuMs }) => all + cpuMs, 0);
    const inLog = lines.length === 0 ? "the log said nothing" : `log: Worker ${sum(false)} ms, object ${sum(true)} ms`;
    rows.push({
      question: `A computation in ${isInObject ? "an object" : "the Worker"}, of ${plan.computations}`,
      answer: `${spread(answers.map(({ ms }) => ms))} ms until it was answered; ${inLog}`,
    });
  }
  return rows;
};

/** Memory that one isolate is given until the platform has had enough, and what of it is collected when. */
const memory: Measure = async ({ client, plan }) => {
  const { found } = await client.probe<{ given: number; before: number; after: number }>("collect", COLLECTED);
  const { given, before, after } = found;
  const most = new Map<string, number>();
  let ended = "";
  for (let step = 0; step < plan.steps && ended === ""; step += 1) {
    const answer = await client.operate("/prove/hold", { bytes: STEP_BYTES });
    if (answer.status === 200) most.set(answer.isolate, (JSON.parse(answer.text) as { bytes: number }).bytes);
    else ended = `; then an answer was ${answer.status}`;
  }
  const largest = Math.max(0, ...most.values()) / MEBIBYTE;
  return [
    {
      question: "Memory that was given up, collected by itself",
      answer: `${given - before} of ${given}`,
    },
    {
      question: "The same, once a buffer was refused that no machine has",
      answer: `${given - after} of ${given}${after < before ? ": refusing collects" : ""}`,
    },
    {
      question: "Most that an isolate held beside the service",
      answer: `${largest} MiB, of ${most.size} isolates and ${plan.steps * (STEP_BYTES / MEBIBYTE)} MiB asked for${ended}`,
    },
  ];
};

/** `12 (9 to 40)`: the median, the least and the most. */
function spread(numbers: readonly number[]): string {
  const sorted = numbers.toSorted((a, b) => a - b).map((number) => Math.round(number));
  const [least] = sorted;
  if (least === undefined) return "none";
  return `${sorted[sorted.length >> 1]} (${least} to ${sorted.at(-1)})`;
}

function timesOf(answers: readonly Answered[], { logged }: Ports): string {
  const cpuMs = answers.flatMap(({ name }) => logged(name).map((line) => line.cpuMs));
  const inLog = cpuMs.length === 0 ? "the log said nothing" : `${spread(cpuMs)} ms of processor time`;
  return `${answers.length}: ${inLog}; ${spread(answers.map(({ ms }) => ms))} ms until they were answered`;
}

/** In the order in which they disturb each other least: fresh isolates first, full ones last. */
export const MEASURES: Readonly<Record<string, Measure>> = {
  "fresh isolates": cpu,
  isolates,
  bindings: latency,
  caches,
  objects,
  uploads,
  memory,
};
