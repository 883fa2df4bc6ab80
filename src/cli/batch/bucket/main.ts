/** `darkroom bucket`: begins, follows and steers batches of whole buckets. */
import { createInterface } from "node:readline/promises";

import type { BatchRecord } from "../../../clients/api-types.d.ts";
import { ApiFailure, sleepFor, Unreachable } from "../client.ts";
import { waitText } from "../screen.ts";
import { SIGNALS } from "../service.ts";
import { shown } from "../shown.ts";
import { BUCKET_USAGE, type BucketOptions, type BucketOrder, readBucketOptions } from "./options.ts";
import {
  createFollower,
  CSV_HEAD,
  duplicateCsv,
  DUPLICATES_CSV_HEAD,
  duplicateText,
  estimateText,
  failureCsv,
  failureText,
  summaryText,
  tableText,
} from "./report.ts";
import { type Batches, batchesOf, type Sleep } from "./service.ts";

/** Between two looks at a batch: it tells of itself as often. */
const LOOK_SECONDS = 2;

const DONE = 0;
const FAILED = 1;
const WRONG = 2;
const NOT_OVER = 3;

/** What a run has around it. */
export interface Around {
  readonly out: NodeJS.WritableStream;
  readonly aside: NodeJS.WriteStream;
  readonly signal: AbortSignal;
  readonly sleep: Sleep;
  /** Milliseconds of any clock. */
  readonly now: () => number;
  /** Asks at the terminal; undefined where there is none. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
}

interface Run extends Around {
  readonly options: BucketOptions;
  readonly batches: Batches;
  readonly write: (line: string) => void;
}

/**
 * @returns the exit status, as the usage has it
 * @throws UsageError in one sentence
 */
export async function runBucket(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  given?: Around,
): Promise<number> {
  const options = readBucketOptions(args, env);
  const around = given ?? terminal();
  const write = (line: string): void => void around.out.write(`${line}\n`);
  if (!options) {
    write(BUCKET_USAGE);
    return DONE;
  }
  const { url, key } = options;
  const onWait = (seconds: number, reason: string) => void around.aside.write(`${waitText(seconds, reason)}\n`);
  const batches = batchesOf({ url, key, signal: around.signal, sleep: around.sleep, onWait });
  try {
    return await carryOut(options.order, { ...around, options, batches, write });
  } catch (error) {
    if (around.signal.aborted) return NOT_OVER;
    if (!(error instanceof ApiFailure || error instanceof Unreachable)) throw error;
    around.aside.write(`${shown(error.message)}\n`);
    return error instanceof ApiFailure && error.status < 500 && error.status !== 429 ? WRONG : FAILED;
  }
}

function terminal(): Around {
  const interruption = new AbortController();
  for (const signal of SIGNALS) process.once(signal, () => interruption.abort());
  const { signal } = interruption;
  const ask = async (question: string) => {
    const lines = createInterface({ input: process.stdin, output: process.stderr });
    try {
      return /^y(?:es)?$/i.test(await lines.question(question, { signal }));
    } finally {
      lines.close();
    }
  };
  const around = { out: process.stdout, aside: process.stderr, signal, sleep: sleepFor, now: () => performance.now() };
  return { ...around, ask: process.stdin.isTTY ? ask : undefined };
}

async function carryOut(order: BucketOrder, run: Run): Promise<number> {
  const { batches, options, write } = run;
  switch (order.kind) {
    case "start":
      return start(order, run);
    case "follow":
      return follow(order.batch, run);
    case "failures":
      return tellAll(batches.failures(order.batch), { head: CSV_HEAD, csv: failureCsv, text: failureText }, run);
    case "duplicates": {
      const forms = { head: DUPLICATES_CSV_HEAD, csv: duplicateCsv, text: duplicateText };
      return tellAll(batches.duplicates(order.batch), forms, run);
    }
    case "list": {
      const all = await batches.list();
      if (options.json) for (const batch of all) write(JSON.stringify(batch));
      else write(tableText(all));
      return DONE;
    }
    case "show": {
      const { batch } = await batches.show(order.batch);
      tell(batch, run);
      return statusOf(batch);
    }
    default:
      tell(await batches.steer(order.batch, order.kind), run);
      return DONE;
  }
}

function tell(batch: BatchRecord, { options, write }: Run): void {
  write(options.json ? JSON.stringify(batch) : summaryText(batch));
}

/** Says what the batch would be about, asks, and begins. */
async function start(order: BucketOrder & { readonly kind: "start" }, run: Run): Promise<number> {
  const { batches, options, aside, ask } = run;
  const { source, ...rules } = order.rules;
  const connector = await batches.connector(order.from.connector);
  const target =
    order.to === "in-place"
      ? order.to
      : { connector: await batches.connector(order.to.connector), prefix: order.to.prefix };
  const json = { ...rules, source: { ...source, connector, prefix: order.from.prefix }, target };
  const { events, ...once } = json;
  if (events !== "only") {
    const dry = await batches.start({ ...once, dry_run: true });
    const listed = await listedBy(dry.id, run);
    if (listed.state !== "done" || options.isDryRun) {
      tell(listed, run);
      return statusOf(listed);
    }
    aside.write(`${estimateText(listed)}\n`);
    if (listed.counts.found === 0 && !events) return DONE;
  }
  if (!options.yes && !(await ask?.(`${questionOf(order)} [y/N] `))) {
    aside.write(ask ? "Nothing was begun.\n" : "Nothing was begun: --yes begins without asking.\n");
    return ask ? DONE : WRONG;
  }
  const { id } = await batches.start(json);
  aside.write(`Batch ${id} has begun.\n`);
  if (events) aside.write(`It goes on until it is canceled: darkroom bucket cancel ${id}\n`);
  else if (!options.detach) return follow(id, run);
  tell((await batches.show(id)).batch, run);
  return DONE;
}

function questionOf({ to }: BucketOrder & { readonly kind: "start" }): string {
  return to === "in-place" ? "Replace originals by their results?" : "Begin?";
}

/** A dry run at its end; who does not want to wait for it ends it. */
async function listedBy(id: string, run: Run): Promise<BatchRecord> {
  try {
    return await watched(id, run);
  } catch (error) {
    if (run.signal.aborted) {
      const { url, key } = run.options;
      const signal = new AbortController().signal;
      const { steer } = batchesOf({ url, key, signal, sleep: run.sleep, onWait: () => undefined });
      await steer(id, "cancel").catch(() => undefined);
    }
    throw error;
  }
}

async function follow(id: string, run: Run): Promise<number> {
  try {
    const batch = await watched(id, run);
    tell(batch, run);
    return statusOf(batch);
  } catch (error) {
    if (!run.signal.aborted) throw error;
    run.aside.write(`The batch goes on: darkroom bucket follow ${id}\n`);
    return NOT_OVER;
  }
}

/** Shows a batch until it stands still. */
async function watched(id: string, { options, aside, now, signal, sleep }: Run): Promise<BatchRecord> {
  const follower = createFollower(aside, now);
  const { url, key } = options;
  const { show } = batchesOf({ url, key, signal, sleep, onWait: follower.waiting });
  try {
    for (;;) {
      // oxlint-disable-next-line no-await-in-loop -- one look after the other
      const { batch } = await show(id);
      follower.seen(batch);
      if (batch.state !== "listing" && batch.state !== "running") return batch;
      // oxlint-disable-next-line no-await-in-loop -- the next look is later
      await sleep(LOOK_SECONDS, signal);
    }
  } finally {
    follower.end();
  }
}

function statusOf({ state, counts }: BatchRecord): number {
  if (state === "done") return counts.failed > 0 ? FAILED : DONE;
  return state === "failed" || state === "canceled" ? FAILED : NOT_OVER;
}

interface Forms<Entry> {
  /** The first line of CSV. */
  readonly head: string;
  readonly csv: (entry: Entry) => string;
  readonly text: (entry: Entry) => string;
}

async function tellAll<Entry>(
  list: AsyncIterable<Entry>,
  { head, csv, text }: Forms<Entry>,
  { options, write }: Run,
): Promise<number> {
  if (options.csv) write(head);
  for await (const entry of list) write(options.json ? JSON.stringify(entry) : (options.csv ? csv : text)(entry));
  return DONE;
}
