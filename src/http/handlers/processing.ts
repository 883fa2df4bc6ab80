/** What fetch and upload have in common. */
import { Buffer } from "node:buffer";

import { addressProblem } from "../../address.ts";
import { checkPlaces, mostCredits } from "../../contract/outputs.ts";
import type { UploadBody } from "../../contract/request.ts";
import type { Processed } from "../../contract/response.ts";
import type { Webhook } from "../../contract/webhook.ts";
import { ApiError } from "../../errors.ts";
import { WEBHOOK_OUTPUT_BYTES } from "../../limits/webhook.ts";
import { type Answer, spentFor } from "../../pipeline/answer.ts";
import type { Job, Ports, Source } from "../../pipeline/job.ts";
import { mayCall } from "../../pipeline/notices.ts";
import { judge } from "../../pipeline/process.ts";
import { processOrReuse, reusePortsOf } from "../../pipeline/reuse.ts";
import { type AcceptedJob, acceptWork } from "../../pipeline/work.ts";
import { discard } from "../../scheduler/held-bytes.ts";
import { JobLimits } from "../../scheduler/job-limits.ts";
import { charged, checkRoom } from "../acceptance.ts";
import { callerOf } from "../caller.ts";
import { accountOf, type AppContext, baseOf } from "../context.ts";
import { drawnOr } from "../drawn.ts";
import { IDEMPOTENCY_KEY } from "../idempotency.ts";
import { reserveCredits } from "../rate-limit.ts";
import { replyMetadata, replyResult, replyStored } from "../reply.ts";
import { timed } from "../timing.ts";

/** Goes through the pipeline and answers with what comes out, or says that the answer will come to the webhook. */
export async function processImage(c: AppContext, source: Source, body: UploadBody): Promise<Response> {
  const { id, pipeline, settings } = c.var;
  const { webhook, cdn: _, ...processing } = body;
  checkPlaces(body);
  await checkKept(c, body);
  checkExplained(body, c.var.binary);
  await reserveCredits(c, mostCredits(body));
  const baseUrl = baseOf(c);
  const job = { id, accountId: accountOf(c).id, source, processing, accept: c.req.header("accept") };
  if (webhook) return acceptImage(c, webhook, job, baseUrl);
  const { database } = accountOf(c);
  const caller = callerOf(c);
  const clock = timed(pipeline.portsOf(c.env, settings, baseUrl, database), Date.now, caller);
  const { signal } = c.req.raw;
  const jobLimits = new JobLimits({ caller, maxMs: settings.maxJobMs, signal });
  c.set("jobLimits", jobLimits);
  const kept = isKept(processing) ? {} : { keepTemporarily: async () => ({ url: "" }) };
  const readWatermark = drawnOr(c, clock.ports.readWatermark);
  const ports = { ...clock.ports, ...kept, readWatermark, jobLimits };
  const answer = await replied(c, job, ports, baseUrl).catch((error: unknown) => {
    throw signal.aborted ? new ApiError(499, "The client closed the request", { cause: error }) : error;
  });
  answer.headers.set("Server-Timing", clock.header());
  return answer;
}

/** An earlier result costs nothing; the work for another one is counted. */
async function replied(c: AppContext, job: Job, ports: Ports, baseUrl: string): Promise<Response> {
  const { settings, pipeline, id } = c.var;
  const { accountId, processing } = job;
  const claim = processing.reuse === true ? crypto.randomUUID() : undefined;
  c.set("claim", claim);
  const { database } = accountOf(c);
  const place = { meter: `account:${accountId}`, baseUrl, database, claim };
  const outcome = await processOrReuse(pipeline, job, ports, reusePortsOf(c.env, settings, place));
  const said: Processed = { success: true, code: 200, id, ...unlessKept(processing, outcome.answer) };
  if (outcome.isReused) {
    c.set("isReused", true);
    return c.var.binary && "output" in said ? replyStored(c, said) : replyMetadata(c, said, 200);
  }
  c.set("processed", { ...spentFor(said), ...outcome.named });
  return outcome.encoded && "output" in said ? replyResult(c, said, outcome.encoded) : replyMetadata(c, said, 200);
}

/** Whether the result is stored besides being answered with. */
function isKept({ response }: Pick<UploadBody, "response">): boolean {
  return response?.keep !== false;
}

/** An answer, without the address of a result that was not stored. */
function unlessKept(body: Pick<UploadBody, "response">, answer: Answer) {
  if (isKept(body) || !("output" in answer)) return answer;
  const { url: _, ...output } = answer.output;
  return { ...answer, output };
}

/** @throws ApiError 422 when a result is not to be stored that something else finds there */
async function checkKept(c: AppContext, body: Pick<UploadBody, "response" | "reuse">): Promise<void> {
  if (isKept(body)) return;
  if (!c.var.binary) throw new ApiError(422, "response.keep false needs response.mode binary");
  if (body.reuse === true) throw new ApiError(422, "response.keep false cannot be combined with reuse");
  if ((await c.var.admission)?.receipt !== undefined) {
    throw new ApiError(422, `response.keep false cannot be combined with ${IDEMPOTENCY_KEY}`);
  }
}

/**
 * What a search tried is said to whoever waits for its answer: it is not kept with that, and headers are too short for it.
 * @throws ApiError 422 when it is asked for together with another answer
 */
export function checkExplained(
  { response, webhook, reuse }: Pick<UploadBody, "response" | "webhook" | "reuse">,
  isBinary = response?.mode === "binary",
): void {
  if (response?.explain !== true) return;
  const other = isBinary ? "response.mode binary" : webhook ? "webhook" : reuse ? "reuse" : undefined;
  if (other !== undefined) throw new ApiError(422, `response.explain cannot be combined with ${other}`);
}

/** 202 as soon as the job is durable. */
async function acceptImage(c: AppContext, webhook: Webhook, job: Job, baseUrl: string): Promise<Response> {
  const { pipeline, settings } = c.var;
  checkCallable(c, webhook);
  checkRoom(c);
  const { database } = accountOf(c);
  await judge(job, pipeline.portsOf(c.env, settings, baseUrl, database));
  const { id, accountId, source, processing, accept } = job;
  const kept: AcceptedJob = {
    source: source.kind === "upload" ? { kind: "upload", name: source.original.name } : source,
    processing,
    baseUrl,
    ...(accept !== undefined && { accept }),
  };
  const upload = source.kind === "upload" ? source.original.bytes : undefined;
  const acceptance = { id, accountId, url: webhook.url, delaySeconds: webhook.delay ?? 0, upload, database };
  const bytes = Buffer.byteLength(webhook.url + JSON.stringify(kept));
  await charged(c, bytes + (mostCredits(processing) - 1) * WEBHOOK_OUTPUT_BYTES, (credit) =>
    acceptWork(c.env, pipeline, (work) => c.executionCtx.waitUntil(work), { ...acceptance, job: { ...kept, credit } }),
  );
  if (source.kind === "upload") discard(source.original);
  return replyMetadata(c, { success: true, code: 202, id }, 202);
}

/** @throws ApiError 422 when the notification would go to an address that is not public */
export function checkCallable(c: AppContext, { url }: Webhook): void {
  const target = new URL(url);
  if (mayCall(c.var.settings, target)) return;
  throw new ApiError(422, `webhook.url ${addressProblem(target.hostname)}`);
}

/** Learns from the body whether bytes are wanted: its `response.mode` wins over the request header. */
export function noteMode(c: AppContext, body: object): void {
  const mode = memberOf(memberOf(body, "response"), "mode");
  if (typeof mode === "string") c.set("binary", mode === "binary");
}

/** @throws ApiError 422 when bytes are wanted of something that answers without them */
export function refuseBinaryWith(c: AppContext, body: object, members: readonly string[]): void {
  if (c.var.binary) refuseInBinary(body, members);
}

/** @throws ApiError 422 when a body that asks for bytes has one of these members */
export function refuseInBinary(body: object, members: readonly string[]): void {
  const member = members.find((name) => memberOf(body, name) !== undefined);
  if (member !== undefined) throw new ApiError(422, `response.mode binary cannot be combined with ${member}`);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
