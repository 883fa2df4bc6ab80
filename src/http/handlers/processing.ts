/** What fetch and upload have in common. */
import type { Processing } from "../../contract/request.ts";
import { ApiError } from "../../errors.ts";
import type { Source } from "../../process.ts";
import type { AppContext } from "../context.ts";
import { admitted, admittedWithCredit } from "../rate-limit.ts";
import { replyResult } from "../reply.ts";

/** Walks the street and answers with what comes out. */
export async function processImage(c: AppContext, source: Source, processing: Processing): Promise<Response> {
  const { account, id, street, settings } = c.var;
  if (!account) throw new Error("A processing route is mounted without a key");
  const job = { id, accountId: account.id, source, processing, accept: c.req.header("accept") };
  const origin = settings.baseUrl ?? new URL(c.req.url).origin;
  return replyResult(c, await street.process(job, street.portsOf(c.env, settings, origin)));
}

/**
 * The body, once the meter has let the request in. The body is read to its end first, so that a refusal knows the
 * wanted mode; then the meter's refusal comes before whatever is wrong with the body.
 * @param optionsOf the part of the body that says what to do
 */
export async function bodyOnceAdmitted<Body>(
  c: AppContext,
  reading: Promise<Body>,
  optionsOf: (body: Body) => object,
): Promise<Body> {
  const [read] = await Promise.allSettled([reading]);
  if (read.status === "fulfilled") noteMode(c, optionsOf(read.value));
  await admitted(c);
  if (read.status === "rejected") throw read.reason;
  await admittedWithCredit(c);
  return read.value;
}

/** Learns from the body whether bytes are wanted: its `response.mode` wins over the request header. */
function noteMode(c: AppContext, body: object): void {
  const mode = memberOf(memberOf(body, "response"), "mode");
  if (typeof mode === "string") c.set("binary", mode === "binary");
}

/** @throws ApiError 422 when bytes are wanted of something that answers without them */
export function refuseBinaryWith(c: AppContext, body: object, members: readonly string[]): void {
  if (!c.var.binary) return;
  const member = members.find((name) => memberOf(body, name) !== undefined);
  if (member !== undefined) throw new ApiError(422, `response.mode binary cannot be combined with ${member}`);
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
