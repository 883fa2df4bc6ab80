/** Webhook work with its real edges: what accepts jobs, runs them and sweeps. */
import type { Charge } from "../account/accepted-jobs.ts";
import { lostAuthority } from "../account/authority.ts";
import type { Processing } from "../contract/request.ts";
import type { Failure, Processed } from "../contract/response.ts";
import { DIRECTORY, settingsOf } from "../env.ts";
import {
  ATTEMPT_RESERVE_MS,
  DIRECT_RUN_MS,
  DIRECT_WORK_MS,
  HEAD_START_MS,
  MAX_ATTEMPTS_OF_ACCOUNT,
  MAX_DIRECT_QUEUE_MS,
  MAX_DIRECT_RUNS,
  RUN_RENEWAL_MS,
} from "../limits/webhook.ts";
import { isolateBudget } from "../scheduler/budget.ts";
import { Caller } from "../scheduler/caller.ts";
import type { HeldBytes } from "../scheduler/held-bytes.ts";
import { isolateLeases } from "../scheduler/isolate-leases.ts";
import { JobLimits } from "../scheduler/job-limits.ts";
import { type Acceptance, accept, begin } from "../webhook/accept.ts";
import { type UploadStore, uploadsOf } from "../webhook/bytes.ts";
import { Company } from "../webhook/company.ts";
import type { Message, Ports, RunPorts } from "../webhook/ports.ts";
import { run } from "../webhook/run.ts";
import { spentFor } from "./answer.ts";
import type { Pipeline } from "./edges.ts";
import type { Source } from "./job.ts";
import { attemptPortsOf, recordPortsOf, report, wakeCourier } from "./notices.ts";
import { isReused, type Named, processOrReuse, reusePortsOf } from "./reuse.ts";

/** A job as it is kept, sealed, between the answer and its processing. */
export interface AcceptedJob {
  /** The bytes of an upload lie in the bucket. */
  readonly source: Exclude<Source, { kind: "upload" }> | { readonly kind: "upload"; readonly name: string };
  readonly processing: Processing;
  readonly accept?: string;
  /** The public address of the service, as the caller knew it. */
  readonly baseUrl: string;
  /** What the job was charged, and the meter that did it. */
  readonly credit?: Credit;
}

export interface Credit {
  readonly meter: string;
  readonly key: string;
  /** Spent when the job was accepted. */
  readonly charge?: Charge;
  /** Only reserved, by an earlier version. */
  readonly lease?: number;
}

type Defer = (work: Promise<unknown>) => void;

/** A message as it is sent. Those of an earlier version name no database: their records lie in the directory. */
export type PlacedMessage = Message & { readonly database?: string };

/** Makes a job durable, in the database of its account, and sets it going. */
export async function acceptWork(
  env: Env,
  pipeline: Pipeline,
  defer: Defer,
  acceptance: Omit<Acceptance, "job"> & { readonly job: AcceptedJob; readonly database: string },
): Promise<void> {
  const { database } = acceptance;
  const ports = portsOf(env, database);
  await accept({ ...acceptance, job: JSON.stringify(acceptance.job) }, ports);
  const start = (id: string) => startWork(env, pipeline, defer, { id, database });
  defer(begin(acceptance.id, { ...ports, start }));
}

/** The jobs that run in this isolate's requests. */
const directRuns = isolateLeases({ silentMs: DIRECT_RUN_MS });

/**
 * Starts a job where it was accepted while there is room: at once, without a queue's wait. A burst goes through the
 * queue, which brings it to other isolates, and so does what comes while others wait here, or a suspect is alone.
 */
async function startWork(
  env: Env,
  pipeline: Pipeline,
  defer: Defer,
  { id, database }: { id: string; database: string },
): Promise<void> {
  if (directRuns.count >= MAX_DIRECT_RUNS || company.isClosed() || isolateBudget.queuedMs > MAX_DIRECT_QUEUE_MS) {
    await env.QUEUE.send({ kind: "run", id, database } satisfies PlacedMessage);
    return;
  }
  const place = directRuns.join(1);
  const running = runSoon(env, pipeline, { id, database }).catch((error: unknown) => report(id, error));
  defer(running.finally(() => place.leave()));
}

/** The work keeps the isolate's only thread busy: the answer to the request that brought it leaves first. */
async function runSoon(env: Env, pipeline: Pipeline, place: JobPlace): Promise<void> {
  await scheduler.wait(HEAD_START_MS);
  await runWork(env, pipeline, place, DIRECT_WORK_MS);
}

/** The jobs of this isolate. */
const company = new Company({ now: () => Date.now(), pause: (milliseconds) => scheduler.wait(milliseconds) });

/** First attempts that are made in this isolate, each of its account. */
const attempts = isolateLeases({ silentMs: DIRECT_RUN_MS });

/** An endpoint that is slow to answer holds few of those who do jobs: its account's further notifications have couriers. */
function beginAttempt(accountId: string): (() => void) | undefined {
  if (attempts.countOf(accountId) >= MAX_ATTEMPTS_OF_ACCOUNT) return undefined;
  const attempt = attempts.join(1, accountId);
  return () => attempt.leave();
}

/** Which job, and in which database. */
interface JobPlace {
  readonly id: string;
  readonly database?: string | undefined;
}

/**
 * Does an accepted job, unless it has been done or somebody is at it.
 * @param givenMs after which it is handed on
 */
export async function runWork(
  env: Env,
  pipeline: Pipeline,
  { id, database = DIRECTORY }: JobPlace,
  givenMs: number,
): Promise<void> {
  const settings = settingsOf(env);
  const startedAt = Date.now();
  let takenMs = () => 0;
  let named: Named | undefined;
  const ports: RunPorts = {
    ...portsOf(env, database),
    ...attemptPortsOf(env, database),
    perform: async ({ accountId, job, upload }, signal) => {
      const { source, processing, accept: wanted, baseUrl, credit } = JSON.parse(job) as AcceptedJob;
      const lost = credit && (await lostAuthority(env.DB, { accountId, keyId: credit.key }, Date.now()));
      if (lost) throw lost;
      const from = sourceOf(source, upload);
      const order = { id, accountId, source: from, processing, accept: wanted };
      const caller = new Caller({ account: accountId, signal, about: { id, route: "queue" } });
      const jobLimits = new JobLimits({ caller, maxMs: settings.maxJobMs, signal });
      takenMs = () => jobLimits.takenMs;
      const ports = pipeline.portsOf(env, settings, baseUrl, database);
      const reuse = reusePortsOf(env, settings, { meter: `account:${accountId}`, baseUrl, database });
      const outcome = await processOrReuse(pipeline, order, { ...ports, jobLimits }, reuse);
      ({ named } = outcome);
      return outcome.answer;
    },
    closeCredit: async ({ job }, payload) => {
      const { credit } = JSON.parse(job) as AcceptedJob;
      if (credit) await closeCredit(env, credit, JSON.parse(payload) as Processed | Failure, takenMs(), named);
    },
    join: (alone) => company.join(alone),
    beginAttempt: (accountId) =>
      Date.now() - startedAt <= givenMs - ATTEMPT_RESERVE_MS ? beginAttempt(accountId) : undefined,
    everyRenewal: (renew) => {
      const timer = setInterval(renew, RUN_RENEWAL_MS);
      return () => clearInterval(timer);
    },
    whenLate: (giveUp) => {
      const timer = setTimeout(giveUp, givenMs);
      return () => clearTimeout(timer);
    },
    enqueue: async (message, delaySeconds) => {
      await env.QUEUE.send({ ...message, database } satisfies PlacedMessage, { delaySeconds });
    },
  };
  await run(id, ports);
}

/** A success costs a credit, a failure and an earlier result none. */
async function closeCredit(
  env: Env,
  { meter, key, charge, lease }: Credit,
  answer: Processed | Failure,
  takenMs: number,
  named: Named | undefined,
): Promise<void> {
  const stub = env.METER.getByName(meter);
  if (!answer.success) {
    const failure = { key, ms: takenMs };
    if (charge) await stub.refund(charge, failure);
    else if (lease !== undefined) await stub.release(lease, failure);
    return;
  }
  if (isReused(answer)) {
    if (charge) await stub.refund(charge);
    else if (lease !== undefined) await stub.release(lease);
    return;
  }
  const spent = { key, cpuMs: takenMs, ...spentFor(answer), ...named };
  if (charge) await stub.finish(spent, charge);
  else if (lease !== undefined) await stub.settle(lease, spent);
}

function sourceOf(source: AcceptedJob["source"], upload: HeldBytes | undefined): Source {
  if (source.kind === "fetch") return source;
  if (upload === undefined) throw new Error("An upload was accepted without its bytes");
  return { kind: "upload", original: { ...upload, name: source.name } };
}

/** Uploaded bytes of jobs in this database: a folder of its own says which database knows whether they are needed. */
export function uploadsIn(env: Env, database: string): UploadStore {
  return uploadsOf(env.BUCKET, isolateBudget, database === DIRECTORY ? "" : `${database}/`);
}

function portsOf(env: Env, database: string): Ports {
  return {
    ...recordPortsOf(env, database),
    uploads: uploadsIn(env, database),
    random: Math.random,
    pause: (milliseconds) => scheduler.wait(milliseconds),
    wake: (id, at, entry) => wakeCourier(env, id, at, database, entry),
  };
}
