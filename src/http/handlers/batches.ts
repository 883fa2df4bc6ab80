/** Batches: whole buckets, as their owners begin, watch and steer them. */
import type * as v from "valibot";

import { accountOfEvents, listen, unlisten } from "../../batch/events.ts";
import type { Alike } from "../../batch/looks.ts";
import { recordOf } from "../../batch/record.ts";
import { deleteBatch, findBatch, insertBatch, type KnownBatch, listBatches } from "../../batch/rows.ts";
import type { Batch, BatchOwner, BatchRules, FailedObject, Progress } from "../../batch/rules.ts";
import { NO_COUNTS } from "../../batch/rules.ts";
import { checkReplaces, openConnector } from "../../batch/stores.ts";
import {
  type BatchAccepted,
  type BatchChanged,
  type BatchFound,
  type BatchList,
  type DuplicateList,
  DuplicateQuery,
  type FailureList,
  FailureQuery,
  type NewBatch,
  parseBatch,
} from "../../contract/batches.ts";
import { checked } from "../../contract/message.ts";
import { ApiError, outage } from "../../errors.ts";
import { DEFAULT_PAGE_ENTRIES } from "../../limits/accounts.ts";
import {
  BATCH_KEPT_DAYS,
  BATCH_NOTICE_MS,
  MAX_KEPT_BATCHES,
  MAX_LISTENERS,
  MAX_OPEN_BATCHES,
  SHOWN_FAILURES,
} from "../../limits/batch.ts";
import { causesOf, logLine } from "../../log.ts";
import { recordPortsOf } from "../../pipeline/notices.ts";
import { judge } from "../../pipeline/process.ts";
import type { OpenStore } from "../../storage/store.ts";
import { awaitEnd } from "../../webhook/awaited.ts";
import { checkRoom } from "../acceptance.ts";
import { accountOf, type AppContext, keyIdOf, recordsOf } from "../context.ts";
import { readJson } from "../json-body.ts";
import { checkCallable } from "./processing.ts";
import { pageOf } from "./shelf.ts";

/** POST /1.0/batches */
export async function addBatch(c: AppContext): Promise<Response> {
  const { webhook, ...asked } = parseBatch(await readJson(c));
  checkRoom(c);
  const rules = rulesOf(asked);
  if (webhook) checkCallable(c, webhook);
  const { id: accountId, database } = accountOf(c);
  const owner: BatchOwner = { accountId, database, keyId: await keyIdOf(c) };
  const { settings, pipeline } = c.var;
  const originals = await openConnector(c.env, settings, owner, rules.source.connector);
  if (rules.target === "in-place") checkReplaces(originals);
  else await openConnector(c.env, settings, owner, rules.target.connector, "target.connector");
  const heard = rules.events ? placeOfEvents(originals, settings.allowPrivateOrigins) : undefined;
  await judge({ accountId, processing: rules.processing }, pipeline.portsOf(c.env, settings, "", database));
  const batch: Batch = {
    ...owner,
    id: c.var.id,
    createdAt: Date.now(),
    rules,
    ...(heard && { bucket: heard.bucket }),
    ...(webhook && { hasWebhook: true }),
  };
  // Notifications name objects: nobody hears of a bucket that the store does not list to them.
  if (heard) await originals.list({ prefix: rules.source.prefix, limit: 1 });
  const db = recordsOf(c);
  try {
    if (!(await insertBatch(db, batch))) {
      const kept = `${MAX_KEPT_BATCHES} with those of the last ${BATCH_KEPT_DAYS} days`;
      throw new ApiError(422, `An account has at most ${MAX_OPEN_BATCHES} batches that are not over, and ${kept}`);
    }
    if (heard && !(await listen(c.env.DB, { ...heard, batch: batch.id }))) {
      throw new ApiError(422, `A bucket has at most ${MAX_LISTENERS} batches that hear of its objects`);
    }
    if (webhook) {
      const notice = { id: batch.id, accountId, url: webhook.url, delaySeconds: webhook.delay ?? 0 };
      await awaitEnd({ ...notice, patienceMs: BATCH_NOTICE_MS }, recordPortsOf(c.env, database));
    }
    const progress = await keeperOf(c, batch).show(batch);
    return c.json<v.InferOutput<typeof BatchAccepted>>(
      { success: true, code: 202, batch: recordOf(batch, progress) },
      202,
    );
  } catch (cause) {
    await forgetBegun(c, batch);
    if (cause instanceof ApiError) throw cause;
    throw outage("The service cannot begin a batch right now", cause);
  }
}

/** Leaves nothing of a batch that has not begun; what keeps it ends by itself when it finds no row. A failure is logged. */
async function forgetBegun(c: AppContext, { id, database, bucket }: Batch): Promise<void> {
  const left = await Promise.allSettled([
    deleteBatch(recordsOf(c), id),
    recordPortsOf(c.env, database).store.withdraw(id),
    bucket !== undefined && unlisten(c.env.DB, bucket, id),
  ]);
  for (const outcome of left) {
    if (outcome.status === "rejected") logLine("error", { id, event: "batch", causes: causesOf(outcome.reason) });
  }
}

/**
 * The bucket whose notifications a batch hears.
 * @throws ApiError 422 where none can come from there
 */
function placeOfEvents(
  { members }: OpenStore,
  isLocal: boolean,
): { readonly bucket: string; readonly account: string } {
  const account = accountOfEvents(members, isLocal);
  if (account !== undefined) return { account, bucket: String(members["bucket"]) };
  throw new ApiError(
    422,
    "events must be given with a connector whose endpoint is one of R2: no other store tells of them",
  );
}

/** GET /1.0/batches: as each has told of itself last. */
export async function showBatches(c: AppContext): Promise<Response> {
  const known = await listBatches(recordsOf(c), accountOf(c).id, pageOf(c));
  const batches = known.map(({ batch, progress }) => recordOf(batch, progress ?? beginningOf(batch)));
  return c.json<v.InferOutput<typeof BatchList>>({ success: true, code: 200, batches });
}

/** GET /1.0/batches/<id> */
export async function showBatch(c: AppContext): Promise<Response> {
  const { batch } = await batchAsked(c);
  const keeper = keeperOf(c, batch);
  const progress = await asked(keeper.show(batch));
  const failures = (await asked(keeper.failures(0, SHOWN_FAILURES))).map(failureOf);
  return c.json<v.InferOutput<typeof BatchFound>>({
    success: true,
    code: 200,
    batch: recordOf(batch, progress),
    failures,
  });
}

/** GET /1.0/batches/<id>/failures */
export async function showBatchFailures(c: AppContext): Promise<Response> {
  const { batch } = await batchAsked(c);
  const { offset = "0", limit = String(DEFAULT_PAGE_ENTRIES) } = checked(FailureQuery, c.req.query());
  const found = await asked(keeperOf(c, batch).failures(Number(offset), Number(limit)));
  return c.json<v.InferOutput<typeof FailureList>>({ success: true, code: 200, failures: found.map(failureOf) });
}

/** GET /1.0/batches/<id>/duplicates */
export async function showBatchDuplicates(c: AppContext): Promise<Response> {
  const { batch } = await batchAsked(c);
  const { offset = "0", limit = String(DEFAULT_PAGE_ENTRIES) } = checked(DuplicateQuery, c.req.query());
  const { alike, isComplete } = await asked(keeperOf(c, batch).alike(Number(offset), Number(limit)));
  return c.json<v.InferOutput<typeof DuplicateList>>({
    success: true,
    code: 200,
    duplicates: alike.map(({ key, phash, duplicates, keys }) => ({ key, phash, count: duplicates, keys: [...keys] })),
    complete: isComplete,
  });
}

/** POST /1.0/batches/<id>/pause, /resume and /cancel: an order that does not fit changes nothing. */
export async function steerBatch(c: AppContext, order: "pause" | "resume" | "cancel"): Promise<Response> {
  const { batch } = await batchAsked(c);
  const keyId = await keyIdOf(c);
  const progress = await asked(keeperOf(c, batch).control(batch, order, keyId));
  if (order === "cancel" && batch.bucket !== undefined) await unlisten(c.env.DB, batch.bucket, batch.id);
  return c.json<v.InferOutput<typeof BatchChanged>>({ success: true, code: 200, batch: recordOf(batch, progress) });
}

/** @throws ApiError 404 also when the batch is another account's */
async function batchAsked(c: AppContext): Promise<KnownBatch> {
  const known = await findBatch(recordsOf(c), accountOf(c).id, c.req.param("batch") ?? "");
  if (!known) throw new ApiError(404, "Resource not found");
  return known;
}

/** @throws ApiError 503 when the object that keeps the batch does not answer */
async function asked<Answer>(asking: Promise<Answer>): Promise<Answer> {
  return asking.catch((cause: unknown) =>
    Promise.reject(outage("The service cannot ask for the batch right now", cause)),
  );
}

interface Keeper {
  readonly show: (batch: Batch) => Promise<Progress>;
  readonly failures: (offset: number, limit: number) => Promise<FailedObject[]>;
  readonly alike: (offset: number, limit: number) => Promise<{ alike: Alike[]; isComplete: boolean }>;
  readonly control: (batch: Batch, order: "pause" | "resume" | "cancel", keyId: string) => Promise<Progress>;
}

function keeperOf(c: AppContext, { id }: Batch): Keeper {
  return c.env.BATCH.getByName(id) as unknown as Keeper;
}

function rulesOf({
  source,
  target,
  only_if_smaller,
  dry_run,
  events,
  ...processing
}: Omit<NewBatch, "webhook">): BatchRules {
  const rules = { source, target, processing, onlyIfSmaller: only_if_smaller, isDryRun: dry_run };
  return events === false ? rules : { ...rules, events };
}

function beginningOf({ createdAt }: Batch): Progress {
  return { state: "listing", counts: NO_COUNTS, isListed: false, updatedAt: createdAt };
}

function failureOf({ key, error, message, at }: FailedObject) {
  return { key, error, reason: message, at: new Date(at).toISOString() };
}
