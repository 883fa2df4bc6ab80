/** The second entrance: messages that say what is to be done to which record, and nothing else. */
import { BUSY_RETRY_SECONDS, MAX_MESSAGE_RETRY_SECONDS, QUEUE_WORK_MS } from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import { count } from "../metrics.ts";
import { backoff } from "../webhook/backoff.ts";
import type { Street } from "./edges.ts";
import { type PlacedMessage, runWork, wakeCourier } from "./work.ts";

/**
 * Every message is safe to receive any number of times; one that fails comes back after a while. They come one at a time
 * (wrangler.toml): the jobs of one invocation would share its processor time, and the fate of the worst of them.
 */
export function createConsumer(street: Street) {
  return async (batch: MessageBatch<unknown>, env: Env): Promise<void> => {
    for (const message of batch.messages) await consume(message, env, street);
  };
}

async function consume(message: globalThis.Message<unknown>, env: Env, street: Street): Promise<void> {
  const { body } = message;
  try {
    if (!isMessage(body)) throw new Error("A message of the queue is not one of ours");
    const { kind, id, database } = body;
    count("queue_messages_total", { kind });
    const waitedMs = Math.max(0, Date.now() - message.timestamp.getTime());
    count("queue_wait_seconds_total", { kind }, waitedMs / 1000);
    if (kind === "run") await runWork(env, street, { id, database }, QUEUE_WORK_MS);
    else await wakeCourier(env, id, Date.now(), database);
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

function isMessage(body: unknown): body is PlacedMessage {
  if (typeof body !== "object" || body === null || !("kind" in body) || !("id" in body)) return false;
  if ("database" in body && typeof body.database !== "string") return false;
  return (body.kind === "run" || body.kind === "deliver") && typeof body.id === "string";
}
