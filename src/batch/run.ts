/** One object of a batch, from a message of the queue to what the batch is told of it. */
import { budgetOf, creditsOf, findAccount } from "../account/accounts.ts";
import { withoutCredits } from "../budget-refusals.ts";
import { DIRECTORY, type Settings } from "../env.ts";
import { BUDGET_LOOK_SECONDS, LEFT_OF_WINDOW } from "../limits/batch.ts";
import { causesOf, logLine } from "../log.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import { JobLimits } from "../scheduler/job-limits.ts";
import { StoreError } from "../storage/session.ts";
import { whyEnded } from "./authority.ts";
import { type ObjectPorts, outcomeOf, workOn } from "./object.ts";
import { type ClaimedObject, type ObjectOutcome, troubleOf } from "./rules.ts";
import { objectStoreOf, storesOf } from "./stores.ts";

/** A message of the queue: this object of this batch is to be worked on. */
export interface ObjectMessage {
  readonly kind: "object";
  /** That of the batch. */
  readonly id: string;
  readonly object: number;
}

export interface ObjectSurroundings {
  readonly env: Env;
  readonly settings: Settings;
  readonly pipeline: Pipeline;
}

/** Works on an object, unless it is over, or somebody is at it. Safe to call any number of times. */
export async function runObject(
  around: ObjectSurroundings,
  { id, object }: Pick<ObjectMessage, "id" | "object">,
): Promise<void> {
  const batch = around.env.BATCH.getByName(id);
  const token = crypto.randomUUID();
  const claimed = (await batch.claim(object, token)) as ClaimedObject | undefined;
  if (!claimed) return;
  const credit = new ObjectCredit(around, claimed);
  const outcome = measured(await outcomeFor(around, claimed, credit), credit);
  const isTold = await batch.finish(object, token, outcome);
  await credit.close(isTold ? outcome : undefined);
}

function measured(outcome: ObjectOutcome, { phash, jobLimits }: ObjectCredit): ObjectOutcome {
  const isMade = outcome.kind === "done" || outcome.kind === "skipped";
  return isMade ? { ...outcome, ms: jobLimits.takenMs, ...(phash !== undefined && { phash }) } : outcome;
}

async function outcomeFor(
  around: ObjectSurroundings,
  claimed: ClaimedObject,
  credit: ObjectCredit,
): Promise<ObjectOutcome> {
  try {
    const { env, settings } = around;
    const { batch } = claimed;
    const lost = await whyEnded(env.DB, batch, Date.now());
    if (lost) return { kind: "halt", ...lost };
    const opened = await storesOf(env, settings, batch, batch.rules).catch((error: unknown) => error);
    if (opened instanceof Error) {
      const known = outcomeOf(opened);
      // Every other object would meet the same.
      return known?.kind === "failed" ? { ...known, kind: "halt" } : (known ?? { kind: "fault" });
    }
    return await workOn(claimed, portsOf(around, claimed, opened as Awaited<ReturnType<typeof storesOf>>, credit));
  } catch (error) {
    if (error instanceof StoreError && error.isBusy) return { kind: "wait", why: "store", seconds: error.retrySeconds };
    const outcome = outcomeOf(error);
    if (!outcome) logLine("error", { id: claimed.batch.id, event: "batch", causes: causesOf(error) });
    return outcome ?? { kind: "fault" };
  }
}

function portsOf(
  { env, settings, pipeline }: ObjectSurroundings,
  { batch, key }: ClaimedObject,
  { originals, results }: Awaited<ReturnType<typeof storesOf>>,
  credit: ObjectCredit,
): ObjectPorts {
  const { accountId, database, rules } = batch;
  const { jobLimits } = credit;
  return {
    source: objectStoreOf(originals, settings, jobLimits.caller),
    target: objectStoreOf(results, settings, jobLimits.caller),
    reserve: () => credit.reserve(),
    make: async (original, take) => {
      const id = crypto.randomUUID();
      credit.bytesIn = original.bytes.length;
      const edges = pipeline.portsOf(env, settings, "", database);
      const keepTemporarily = async (encoded: Parameters<typeof take>[0]) => {
        await take(encoded);
        return { url: "" };
      };
      // They are found by the object's name, and in the report of the batch.
      const keepLooks: typeof edges.keepLooks = async (account, looks) => {
        credit.phash = looks[0]?.phash;
        await edges.keepLooks?.(
          account,
          looks.map(({ phash }) => ({ phash, id: batch.id, name: key })),
        );
      };
      const ports = { ...edges, keepTemporarily, removeTemporary: async () => undefined, keepLooks, jobLimits };
      const job = {
        id,
        accountId,
        source: { kind: "upload", original },
        processing: rules.processing,
        accept: undefined,
      } as const;
      await pipeline.process(job, ports);
    },
  };
}

/** The credit of an object: reserved before it is worked on, spent when the batch knows of the result, else free again. */
class ObjectCredit {
  readonly jobLimits: JobLimits;
  bytesIn = 0;
  /** How its picture looks, once that is known. */
  phash: string | undefined;
  readonly #around: ObjectSurroundings;
  readonly #claimed: ClaimedObject;
  #lease: number | undefined;

  constructor(around: ObjectSurroundings, claimed: ClaimedObject) {
    this.#around = around;
    this.#claimed = claimed;
    this.jobLimits = new JobLimits({ account: claimed.batch.accountId, maxMs: around.settings.maxJobMs });
  }

  /** @returns why the object has to wait; undefined: the credit is there */
  async reserve(): Promise<ObjectOutcome | undefined> {
    const { env, settings } = this.#around;
    const { accountId, database, keyId } = this.#claimed.batch;
    const account = await findAccount(env.DB, accountId);
    if (account?.status !== "active") return { kind: "halt", ...troubleOf(403, "Account suspended") };
    const { rateLimit, maxFailedMs: failedMs } = settings;
    const limit = Math.max(1, Math.floor(rateLimit * (1 - LEFT_OF_WINDOW)));
    const creditsTotal = creditsOf(account);
    const budget = budgetOf(account);
    const place = database === DIRECTORY ? {} : { database };
    const ask = { key: keyId, limit, account: accountId, ...place, creditsTotal, failedMs, ...(budget && { budget }) };
    const { allowed, lease, resetSeconds, pauseSeconds, short } = await this.#meter.take(ask);
    if (!allowed || pauseSeconds !== undefined) {
      return { kind: "wait", why: "window", seconds: pauseSeconds ?? resetSeconds };
    }
    if (short) return { kind: "wait", why: "window", seconds: Math.min(short.seconds, BUDGET_LOOK_SECONDS) };
    if (lease === undefined) return { kind: "halt", ...troubleOf(402, withoutCredits(account).message) };
    this.#lease = lease;
    return undefined;
  }

  /** @param outcome undefined: what was done is somebody else's to tell, and to pay */
  async close(outcome: ObjectOutcome | undefined): Promise<void> {
    const lease = this.#lease;
    if (lease === undefined) return;
    const { keyId: key, id, rules } = this.#claimed.batch;
    const isMade = outcome?.kind === "done" || outcome?.kind === "skipped";
    try {
      if (isMade && !rules.isDryRun) {
        const bytesOut = outcome.kind === "done" ? outcome.after : this.bytesIn;
        await this.#meter.settle(lease, { key, cpuMs: this.jobLimits.takenMs, bytesIn: this.bytesIn, bytesOut });
      } else {
        // What a dry run takes is free, and counts as work that nobody has paid for.
        const isUnpaid = isMade || outcome?.kind === "failed";
        await this.#meter.release(lease, { key, ms: isUnpaid ? this.jobLimits.takenMs : 0 });
      }
    } catch (error) {
      // A credit that was not given back is free again when its lease ends.
      logLine("error", { id, event: "count not closed", causes: causesOf(error) });
    }
  }

  get #meter() {
    return this.#around.env.METER.getByName(`account:${this.#claimed.batch.accountId}`);
  }
}
