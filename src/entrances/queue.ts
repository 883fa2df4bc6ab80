/** The second entrance: messages that say what is to be done to which record, and nothing else. */
import { type BucketEvent, readEvent, tellOfEvents } from "../batch/events.ts";
import { type ObjectMessage, runObject } from "../batch/run.ts";
import { type FinalMessage, runFinal } from "../delivery/finals.ts";
import { forgetInFront, type ForgetMessage } from "../delivery/front-cache.ts";
import { carryOutPurge, type PurgeMessage } from "../delivery/purge.ts";
import { settingsOf } from "../env.ts";
import { BUSY_RETRY_SECONDS } from "../limits/isolate.ts";
import { MAX_MESSAGE_RETRY_SECONDS, QUEUE_WORK_MS } from "../limits/webhook.ts";
import { causesOf, logLine } from "../log.ts";
import { count } from "../metrics.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import { wakeCourier } from "../pipeline/notices.ts";
import { type PlacedMessage, runWork } from "../pipeline/work.ts";
import { backoff } from "../webhook/backoff.ts";

/**
 * Every message is safe to receive any number of times; one that fails comes back after a while. They come one at a
 * time (wrangler.toml): the jobs of one invocation would share its processor time, and the fate of the worst of them.
 */
export function createConsumer(pipeline: Pipeline) {
  return async (
    batch: MessageBatch<unknown>,
    env: Env,
    context?: Pick<ExecutionContext, "waitUntil" | "cache">,
  ): Promise<void> => {
    const defer = (work: Promise<unknown>) => context?.waitUntil(work);
    const messages = batch.messages.map((message) => ({ message, event: readEvent(message.body) }));
    const events = messages.filter((one): one is EventMessage => one.event !== undefined);
    if (events.length > 0) await consumeEvents(events, env);
    for (const { message, event } of messages) {
      if (event === undefined) await consume(message, env, pipeline, { defer, cache: context?.cache });
    }
  };
}

/** A notification of a bucket; null: of an object that is not new. */
interface EventMessage {
  readonly message: globalThis.Message<unknown>;
  readonly event: BucketEvent | null;
}

/** Notifications of buckets, all that came together at once. */
async function consumeEvents(messages: readonly EventMessage[], env: Env): Promise<void> {
  count("queue_messages_total", { kind: "event" }, messages.length);
  const events = messages.flatMap(({ event }) => event ?? []);
  const tell = async (id: string, objects: readonly Pick<BucketEvent, "key" | "bytes">[]) => {
    const isHeard = (await env.BATCH.getByName(id).hear(objects)) as boolean | undefined;
    if (isHeard === undefined) throw new Error("A batch can hear of no further objects now");
    return isHeard;
  };
  try {
    await tellOfEvents(events, { db: env.DB, tell });
    for (const { message } of messages) message.ack();
  } catch (error) {
    logLine("error", { event: "queue", causes: causesOf(error) });
    for (const { message } of messages) message.retry({ delaySeconds: retrySeconds(message.attempts) });
  }
}

/** What the platform gives an invocation. */
interface Surroundings {
  readonly defer: (work: Promise<unknown>) => void;
  readonly cache: CacheContext | undefined;
}

async function consume(
  message: globalThis.Message<unknown>,
  env: Env,
  pipeline: Pipeline,
  { defer, cache }: Surroundings,
): Promise<void> {
  const { body } = message;
  try {
    if (!isMessage(body)) throw new Error("A message of the queue is not one of ours");
    const { kind, id } = body;
    count("queue_messages_total", { kind });
    const waitedMs = Math.max(0, Date.now() - message.timestamp.getTime());
    count("queue_wait_seconds_total", { kind }, waitedMs / 1000);
    if (kind === "final") await runFinal({ env, settings: settingsOf(env), pipeline, defer }, body);
    else if (kind === "object") await runObject({ env, settings: settingsOf(env), pipeline }, body);
    else if (kind === "purge") await carryOutPurge(env, id);
    else if (kind === "forget") await forgetInFront(env, cache, id);
    else if (kind === "run") await runWork(env, pipeline, { id, database: body.database }, QUEUE_WORK_MS);
    else await wakeCourier(env, id, Date.now(), body.database);
    message.ack();
  } catch (error) {
    logLine("error", { event: "queue", causes: causesOf(error) });
    message.retry({ delaySeconds: retrySeconds(message.attempts) });
  }
}

/** A database that is away is not asked by everybody every two seconds. */
function retrySeconds(attempts: number): number {
  return Math.round(backoff(attempts - 1, BUSY_RETRY_SECONDS, MAX_MESSAGE_RETRY_SECONDS, Math.random));
}

const KINDS: ReadonlySet<string> = new Set(["run", "deliver", "purge", "forget", "final", "object"]);

function isMessage(body: unknown): body is PlacedMessage | PurgeMessage | ForgetMessage | FinalMessage | ObjectMessage {
  if (typeof body !== "object" || body === null || !("kind" in body) || !("id" in body)) return false;
  if ("database" in body && typeof body.database !== "string") return false;
  if (body.kind === "object" && !("object" in body && typeof body.object === "number")) return false;
  if ("lease" in body && typeof body.lease !== "number") return false;
  if ("draftMs" in body && typeof body.draftMs !== "number") return false;
  return typeof body.kind === "string" && KINDS.has(body.kind) && typeof body.id === "string";
}
