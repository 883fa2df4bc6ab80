/** Finals that the queue makes: each once, three times tried, and then the draft is taken for it. */
import { vaultOf } from "../account/vault.ts";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { MAX_FINAL_STARTS } from "../limits/delivery.ts";
import { causesOf, logLine } from "../log.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import { dropFinal, type FinalRow, releaseFinal, startFinal } from "./claims.ts";
import { countDelivery } from "./counts.ts";
import { reserveAnew, returnCredit, spendCredit } from "./credit.ts";
import { type FoundOriginal, readOriginal } from "./original.ts";
import { mayRead } from "./policy.ts";
import { type OpenedDelivery, openDelivery } from "./records.ts";
import { type Made, makeDraft, makeFinal, type Rendering, type RenderPorts } from "./render.ts";
import { putFinal } from "./results.ts";
import { locate } from "./sources.ts";
import { adoptTwin, findTwin } from "./twins.ts";

/** A message of the queue: the final with this name is to be made. */
export interface FinalMessage {
  readonly kind: "final";
  readonly id: string;
  /** The reserved credit, in the account's meter; absent: the announcement was lost, and the sweep makes it again. */
  readonly lease?: number;
  /** Milliseconds of processor time that its draft took. */
  readonly draftMs?: number;
}

/** What a final is made of. */
export interface FinalJob extends Rendering {
  /** The source in plain text: the delivery may have lost it since. */
  readonly source: string;
}

export interface FinalPorts {
  readonly env: Env;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
  readonly defer: (work: Promise<unknown>) => void;
}

/**
 * Makes a final, unless it was made or somebody is at it.
 * @throws what it failed with, when it is to be tried again
 */
export async function runFinal(
  ports: FinalPorts,
  { id: key, lease, draftMs = 0 }: Pick<FinalMessage, "id" | "lease" | "draftMs">,
): Promise<void> {
  const { env } = ports;
  const found = await startFinal(env.DB, key, Date.now(), lease !== undefined);
  if (!found) return;
  const row = { ...found, lease: lease ?? found.lease, cpuMs: draftMs };
  // A start that ended without a word may have ended its isolate.
  if (row.starts > MAX_FINAL_STARTS) return giveUp(ports, row);
  try {
    await carryOut(ports, row);
  } catch (error) {
    const isOurs = error instanceof ApiError && error.status === 503;
    if (!isOurs && row.starts >= MAX_FINAL_STARTS) return giveUp(ports, row);
    await releaseFinal(env.DB, key, Date.now(), isOurs ? -1 : 0);
    throw error;
  }
}

/** A final in work. */
interface Job extends FinalRow {
  /** Milliseconds of processor time that it has taken, its draft included. */
  cpuMs: number;
}

/** A final with what it is made of. */
interface Opened {
  readonly delivery: OpenedDelivery;
  readonly found: FoundOriginal;
  readonly rendering: Rendering;
}

/** Undefined: the delivery is gone, or does not read this original any more. */
async function opened({ env, settings }: FinalPorts, row: Job): Promise<Opened | undefined> {
  const { source, ...rendering } = JSON.parse(row.job) as FinalJob;
  const delivery = await openDelivery({ db: env.DB, vault: vaultOf(settings.vaultKeys) }, row.deliveryId, Date.now());
  const located = delivery && locate(delivery, source);
  if (!delivery || !located || !mayRead(delivery, located)) return undefined;
  const found = await readOriginal({ env, settings, ...delivery }, located);
  if (!found) throw new Error("An original was found unchanged that nobody knew");
  return { delivery, found, rendering };
}

async function carryOut(ports: FinalPorts, row: Job): Promise<void> {
  const { env, defer } = ports;
  const { key } = row;
  const open = await opened(ports, row);
  if (!open) return over(env, row);
  const { delivery, found } = open;
  const twin = await findTwin(env, { key, delivery }, found);
  if (twin && (await adoptTwin(env, { key }, found, twin))) {
    found.original.memory.release();
    return over(env, row);
  }
  const lease = await leaseOf(env, row, open);
  if (lease === undefined) return over(env, row);
  await made(ports, row, open, makeFinal).catch(async (error: unknown) => {
    // What was reserved anew is known to nobody else.
    if (row.lease === null) await returnCredit(env, delivery.accountId, lease, row.cpuMs);
    throw error;
  });
  await dropFinal(env.DB, key);
  await spendCredit(env, delivery.accountId, lease, row.cpuMs);
  countDelivery(env.DB, delivery, { finals: 1 }, defer);
}

/** The credit of a final; undefined, with its original given back, when it has none and none is left. */
async function leaseOf(env: Env, { lease }: FinalRow, { delivery, found }: Opened): Promise<number | undefined> {
  if (lease !== null) return lease;
  let anew: number | undefined;
  try {
    return (anew = await reserveAnew(env, delivery));
  } finally {
    if (anew === undefined) found.original.memory.release();
  }
}

/** Makes a rendition and keeps it as the final. */
async function made(
  { env, settings, pipeline }: FinalPorts,
  row: Job,
  { found, rendering }: Opened,
  make: (ports: RenderPorts, rendering: Rendering, found: FoundOriginal) => Promise<Made>,
): Promise<void> {
  const spend = (ms: number) => (row.cpuMs += ms);
  const { bytes, facts } = await make({ env, settings, pipeline, spend }, rendering, found);
  if (!(await putFinal(env, row.key, bytes, { ...facts, rendition: "final" }))) {
    throw new ApiError(503, "The original was purged while its final was being made");
  }
}

/** A draft becomes the final; it is free. Where none can be made, either, the next view begins anew. */
async function giveUp(ports: FinalPorts, row: Job): Promise<void> {
  try {
    const open = await opened(ports, row);
    if (open) await made(ports, row, open, makeDraft);
  } catch (error) {
    logLine("error", { event: "draft not kept", causes: causesOf(error) });
  }
  await over(ports.env, row);
}

/** Nobody makes it any more, and nothing is paid. */
async function over(env: Env, { key, lease, job, cpuMs }: Job): Promise<void> {
  const { accountId } = JSON.parse(job) as FinalJob;
  await dropFinal(env.DB, key);
  if (lease !== null) await returnCredit(env, accountId, lease, cpuMs);
}
