/** `Idempotency-Key`: a request that is sent again is answered as it was the first time, and costs nothing. */
import { createHash } from "node:crypto";

import type { Ending, KeptAnswer } from "../account/receipts.ts";
import { inOrder } from "../contract/in-order.ts";
import type { Failure, Processed } from "../contract/response.ts";
import type { Accepted } from "../contract/webhook.ts";
import { ApiError } from "../errors.ts";
import {
  MAX_IDEMPOTENCY_KEY_CHARACTERS,
  MAX_KEPT_KEY_CHARACTERS,
  RECEIPT_KEPT_MS,
  RECEIPT_RENEWAL_MS,
  REFUSAL_RECEIPT_KEPT_MS,
} from "../limits/accounts.ts";
import { base64Url, sha256 } from "../storage/digest.ts";
import { temporaryEnd } from "../storage/volatile.ts";
import type { Admission, AppContext } from "./context.ts";
import { replyMetadata, replyStored } from "./reply.ts";

export const IDEMPOTENCY_KEY = "Idempotency-Key";

/** What a repeated answer says in its header. */
const REPLAYED = "Idempotent-Replayed";

/** Answers that say nothing of the request: the next one may be another. */
const PASSING = new Set([408, 429, 499]);

/**
 * The name of the request's receipt: the same for the same header of the same API key or upload token.
 * @param owner the id of the key or token
 * @returns undefined without the header, or where it is no key
 */
export function receiptOf(c: AppContext, owner: string): string | undefined {
  const header = c.req.header(IDEMPOTENCY_KEY);
  return header !== undefined && isKey(header) ? `${owner} ${shortened(header)}` : undefined;
}

/** A key as it is kept: a long one as its SHA-256. */
function shortened(key: string): string {
  if (key.length <= MAX_KEPT_KEY_CHARACTERS) return key;
  return `sha256:${createHash("sha256").update(key).digest("base64url")}`;
}

function isKey(header: string): boolean {
  return /^[\u0021-\u007e]+$/.test(header) && header.length <= MAX_IDEMPOTENCY_KEY_CHARACTERS;
}

/** @throws ApiError 409 when the first request under the key is at work */
export function refuseSecond({ opened }: Admission): void {
  if (opened?.state !== "running") return;
  const headers = { "Retry-After": String(opened.seconds) };
  throw new ApiError(409, "A request with this Idempotency-Key is being processed", { headers });
}

/**
 * Does the work of a request, unless it was done before: then it is answered as it was.
 * @param bytes of the image, when the request carries it
 * @throws ApiError 422 when the first request under the key was another one; what the work throws
 */
export async function once(
  c: AppContext,
  body: object,
  bytes: Uint8Array | undefined,
  work: () => Promise<Response>,
): Promise<Response> {
  if (!isKey(c.req.header(IDEMPOTENCY_KEY) ?? "none")) {
    throw new ApiError(
      422,
      `${IDEMPOTENCY_KEY} must be 1 to ${MAX_IDEMPOTENCY_KEY_CHARACTERS} visible ASCII characters`,
    );
  }
  const admission = await c.var.admission;
  const { opened, receipt } = admission ?? {};
  if (!admission || !opened || opened.state === "running" || receipt === undefined) return work();
  const fingerprint = await fingerprintOf(c.var.route, body, bytes);
  if (opened.fingerprint !== undefined && opened.fingerprint !== fingerprint) {
    throw new ApiError(422, "Idempotency-Key was used for another request");
  }
  if (opened.state === "answered") return repeated(c, opened.answer);
  c.set("begun", { fingerprint });
  const stub = c.env.METER.getByName(admission.meter);
  const signsOfLife = setInterval(() => {
    // One that is lost is made good by the next.
    void stub.renew(receipt, opened.token).catch(() => undefined);
  }, RECEIPT_RENEWAL_MS);
  try {
    return await work();
  } finally {
    clearInterval(signsOfLife);
  }
}

/** What the meter keeps of the request once it has ended; undefined for one without a key. */
export async function endingOf(c: AppContext, status: number): Promise<Ending | undefined> {
  const admission = await c.var.admission;
  if (admission?.opened?.state !== "free" || admission.receipt === undefined) return undefined;
  const { receipt: name, opened } = admission;
  const { begun, said } = c.var;
  const isKept = begun && said && status < 500 && !PASSING.has(status);
  const { token } = opened;
  if (!isKept) return { name, token };
  // What is no image costs next to nothing, however it was found out.
  const isRefusal = status === 415 || (status >= 400 && !c.var.jobLimits?.hasBegun);
  const forMs = isRefusal ? REFUSAL_RECEIPT_KEPT_MS : RECEIPT_KEPT_MS;
  const answer = { status, body: JSON.stringify(said), goodUntil: goodUntil(said, Date.now(), forMs) };
  return { name, token, kept: { fingerprint: begun.fingerprint, answer, forMs } };
}

/** A result in volatile storage is there for a while, everything else for as long as answers are kept. */
function goodUntil(said: Processed | Failure | Accepted, now: number, forMs: number): number {
  const results = "output" in said ? [said.output] : "outputs" in said ? Object.values(said.outputs) : [];
  const ends = results.map(
    ({ url }) => (url === undefined ? undefined : temporaryEnd(url, now)) ?? Number.POSITIVE_INFINITY,
  );
  return Math.min(now + forMs, ...ends);
}

async function repeated(c: AppContext, { status, body }: KeptAnswer): Promise<Response> {
  const said = JSON.parse(body) as Processed | Failure | Accepted;
  const answer = await (c.var.binary && "output" in said ? replyStored(c, said) : replyMetadata(c, said, status));
  answer.headers.set(REPLAYED, "true");
  return answer;
}

/** The same for the same request: its route, its members in any order, and its bytes; a file's name does not count. */
async function fingerprintOf(route: string, body: object, bytes: Uint8Array | undefined): Promise<string> {
  const image = bytes ? base64Url(await sha256(bytes)) : "";
  return base64Url(await sha256(JSON.stringify([route, inOrder(body), image])));
}
