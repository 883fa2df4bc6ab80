/** Finals that the queue makes: each once, three times tried, and then the draft is taken for it. */
import { vaultOf } from "../account/vault.ts";
import type { Settings } from "../env.ts";
import { ApiError } from "../errors.ts";
import { MAX_FINAL_STARTS } from "../limits/delivery.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import { dropFinal, type FinalRow, releaseFinal, startFinal } from "./claims.ts";
import { countDelivery } from "./counts.ts";
import { returnCredit, spendCredit } from "./credit.ts";
import { readOriginal } from "./original.ts";
import { mayRead } from "./policy.ts";
import { openDelivery } from "./records.ts";
import { makeFinal, type Rendering } from "./render.ts";
import { findResult, putFinal, putResult } from "./results.ts";
import { locate } from "./sources.ts";
import { adoptTwin } from "./twins.ts";

/** A message of the queue: the final with this name is to be made. */
export interface FinalMessage {
  readonly kind: "final";
  readonly id: string;
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
export async function runFinal(ports: FinalPorts, key: string): Promise<void> {
  const { env } = ports;
  const row = await startFinal(env.DB, key, Date.now());
  if (!row) return;
  // A start that ended without a word may have ended its isolate.
  if (row.starts > MAX_FINAL_STARTS) return giveUp(env, row);
  try {
    await carryOut(ports, row);
  } catch (error) {
    const isOurs = error instanceof ApiError && error.status === 503;
    if (!isOurs && row.starts >= MAX_FINAL_STARTS) return giveUp(env, row);
    await releaseFinal(env.DB, key, Date.now(), isOurs ? -1 : 0);
    throw error;
  }
}

async function carryOut({ env, settings, pipeline, defer }: FinalPorts, row: FinalRow): Promise<void> {
  const { key, lease } = row;
  const { source, ...rendering } = JSON.parse(row.job) as FinalJob;
  const delivery = await openDelivery({ db: env.DB, vault: vaultOf(settings.vaultKeys) }, row.deliveryId, Date.now());
  const located = delivery && locate(delivery, source);
  if (!delivery || !located || !mayRead(delivery, located)) return giveUp(env, row);
  const found = await readOriginal({ env, settings, ...delivery }, located);
  if (!found) throw new Error("An original was found unchanged that nobody knew");
  if (await adoptTwin(env.BUCKET, { key, delivery }, found)) {
    found.original.memory.release();
    await dropFinal(env.DB, key);
    if (lease !== null) await returnCredit(env, delivery.accountId, lease);
    return;
  }
  const { bytes, facts } = await makeFinal({ env, settings, pipeline }, rendering, found);
  if (!(await putFinal(env.BUCKET, key, bytes, facts))) {
    throw new ApiError(503, "The original was purged while its final was being made");
  }
  await dropFinal(env.DB, key);
  if (lease !== null) await spendCredit(env, delivery.accountId, lease);
  countDelivery(env.DB, delivery, { finals: 1 }, defer);
}

/** The draft becomes the final; it is free. */
async function giveUp(env: Env, { key, lease, job }: FinalRow): Promise<void> {
  const { accountId } = JSON.parse(job) as FinalJob;
  const stored = await findResult(env.BUCKET, key);
  if (stored) await putResult(env.BUCKET, key, stored.object.body, { ...stored.facts, rendition: "final" });
  await dropFinal(env.DB, key);
  if (lease !== null) await returnCredit(env, accountId, lease);
}
