/** What bounds the jobs that are accepted for later: the account's day, and the room of its database. */
import type { Beyond } from "../account/accepted-jobs.ts";
import { isolateBlocks } from "../account/blocks.ts";
import { ApiError, outage } from "../errors.ts";
import { FULL_RETRY_SECONDS } from "../limits/accounts.ts";
import { WEBHOOK_RECORD_BYTES } from "../limits/webhook.ts";
import { causesOf, logLine } from "../log.ts";
import type { Credit } from "../pipeline/work.ts";
import { accountOf, type AppContext } from "./context.ts";

/**
 * The key's look-up has told how large the account's database is: no statement is spent on it.
 * @throws ApiError 503 when the database takes no further jobs
 */
export function checkRoom(c: AppContext): void {
  const { databaseBytes = 0, settings } = c.var;
  if (databaseBytes < settings.databaseBytesLimit) return;
  const cause = new Error(`The database ${accountOf(c).database} is full`);
  const headers = { "Retry-After": String(FULL_RETRY_SECONDS) };
  throw new ApiError(503, "The service cannot keep further jobs with a webhook right now", { cause, headers });
}

/**
 * Has the account's meter accept a job and keeps it; what could not be kept is not charged.
 * @param bytes what the job and its address take
 * @throws ApiError 429 beyond the bounds of the day, 503 when the job could not be kept
 */
export async function charged(c: AppContext, bytes: number, keep: (credit: Credit) => Promise<void>): Promise<void> {
  const known = await c.var.admission;
  if (known?.key === undefined || known.lease === undefined)
    throw new Error(`${c.var.route} is mounted without a credit`);
  const { lease, credits, ...admission } = known;
  const { meter, key } = known;
  const { webhookLimit, webhookBytesLimit } = c.var.settings;
  const { id } = c.var;
  const stub = c.env.METER.getByName(meter);
  const withdraw = () => withdrawn(c, stub);
  const most = { jobs: webhookLimit, bytes: webhookBytesLimit };
  const charge = await stub
    .accept(id, {
      lease,
      ...(credits !== undefined && { credits }),
      bytes: bytes + WEBHOOK_RECORD_BYTES,
      most,
      unused: { key, blocks: isolateBlocks.giveBack(meter, key) },
    })
    .catch(async (cause: unknown) => {
      // The meter may have done what it could not answer.
      await withdraw();
      throw outage("The service cannot count jobs right now", cause);
    });
  if ("beyond" in charge) throw beyondDay(charge, most);
  // The reservation is spent: whoever closes the request has nothing left to give back.
  c.set("admission", Promise.resolve(admission));
  try {
    await keep({ meter, key, charge });
  } catch (cause) {
    await withdraw();
    throw cause instanceof ApiError ? cause : outage("The service cannot keep jobs right now", cause);
  }
}

/** How often a charge is taken back whose call fails: doing it twice does no harm. */
const WITHDRAWALS = 3;

/** Takes back what a job was charged, if it was: it was not kept. A failure is logged. */
async function withdrawn(
  { var: { id } }: AppContext,
  stub: { withdraw: (id: string) => Promise<void> },
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await stub.withdraw(id);
    } catch (error) {
      if (attempt < WITHDRAWALS) continue;
      return logLine("error", { id, event: "charge not withdrawn", causes: causesOf(error) });
    }
  }
}

function beyondDay({ beyond, resetSeconds }: Beyond, most: { jobs: number; bytes: number }): ApiError {
  const what = { jobs: `${most.jobs} jobs with a webhook`, bytes: `${most.bytes} bytes of jobs with a webhook` }[
    beyond
  ];
  const message = `An account has at most ${what} accepted a day, the next day (UTC) begins in ${resetSeconds} seconds`;
  return new ApiError(429, message, { headers: { "Retry-After": String(resetSeconds) } });
}
