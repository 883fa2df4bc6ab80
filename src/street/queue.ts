import { type FinalMessage, runFinal } from "../delivery/finals.ts";
/** The second entrance: messages that say what is to be done to which record, and nothing else. */
import { carryOutPurge, type PurgeMessage } from "../delivery/purge.ts";
import { settingsOf } from "../env.ts";
import { BUSY_RETRY_SECONDS } from "../limits.ts";
import { causesOf, logLine } from "../log.ts";
import type { Message } from "../webhook/ports.ts";
import type { Street } from "./edges.ts";
import { runWork, wakeCourier } from "./work.ts";

/**
 * Every message is safe to receive any number of times; one that fails comes back after a while. They come one at a time
 * (wrangler.toml): the jobs of one invocation would share its processor time, and the fate of the worst of them.
 */
export function createConsumer(street: Street) {
  return async (
    batch: MessageBatch<unknown>,
    env: Env,
    context?: Pick<ExecutionContext, "waitUntil">,
  ): Promise<void> => {
    const defer = (work: Promise<unknown>) => context?.waitUntil(work);
    for (const message of batch.messages) await consume(message, env, street, defer);
  };
}

async function consume(
  message: globalThis.Message<unknown>,
  env: Env,
  street: Street,
  defer: (work: Promise<unknown>) => void,
): Promise<void> {
  const { body } = message;
  try {
    if (!isMessage(body)) throw new Error("A message of the queue is not one of ours");
    if (body.kind === "final") await runFinal({ env, settings: settingsOf(env), street, defer }, body.id);
    else if (body.kind === "purge") await carryOutPurge(env, body.id);
    else if (body.kind === "run") await runWork(env, street, body.id);
    else await wakeCourier(env, body.id, Date.now());
    message.ack();
  } catch (error) {
    logLine("error", { event: "queue", causes: causesOf(error) });
    message.retry({ delaySeconds: BUSY_RETRY_SECONDS });
  }
}

const KINDS: ReadonlySet<string> = new Set(["run", "deliver", "purge", "final"]);

function isMessage(body: unknown): body is Message | PurgeMessage | FinalMessage {
  if (typeof body !== "object" || body === null || !("kind" in body) || !("id" in body)) return false;
  return typeof body.kind === "string" && KINDS.has(body.kind) && typeof body.id === "string";
}
