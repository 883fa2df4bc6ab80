/** Upload tokens at the entrance: whose they are, what they allow, and which pages may read the answer. */
import { findHolderById, type Holder } from "../account/keys.ts";
import { openUploadToken, UPLOAD_TOKEN_PREFIX, type UploadGrant } from "../account/upload-tokens.ts";
import { vaultOf } from "../account/vault.ts";
import { ApiError, outage } from "../errors.ts";
import { parseHeaderValue } from "../header.ts";
import { MAX_CACHED_SPENT_TOKENS, PREFLIGHT_SECONDS, SPENT_TOKEN_CACHE_MS } from "../limits/tokens.ts";
import { Recent } from "../recent.ts";
import { CHALLENGE } from "./authenticate.ts";
import type { AppContext } from "./context.ts";
import { countHolder, type Terms } from "./holder.ts";
import { IDEMPOTENCY_KEY } from "./idempotency.ts";
import { isOurPage } from "./local.ts";
import { admitted, refuseAnonymous } from "./rate-limit.ts";

/** Tokens that were found spent, and until when that is believed: an upload that is at work may give its use back. */
const spent = new Recent<number>(MAX_CACHED_SPENT_TOKENS);

/** The upload token of an Authorization header; undefined where it carries something else. */
export function bearerToken(header: string | undefined): string | undefined {
  const [, token] = /^ *bearer +([^ ]+) *$/i.exec(header ?? "") ?? [];
  return token?.startsWith(UPLOAD_TOKEN_PREFIX) ? token : undefined;
}

/** Whether the request may carry its token in its body: nothing else says who sends it. */
export function mayCarryToken({ req }: AppContext): boolean {
  const { value } = parseHeaderValue(req.header("content-type") ?? "");
  return req.header("authorization") === undefined && value.startsWith("multipart/");
}

/**
 * Lets the bearer of a token in, and starts to count the request for its account.
 * @throws ApiError 401, in the same words for a token that is unknown, has ended, was used up or is not good any more; 429, 503
 */
export async function enterWithToken(c: AppContext, token: string, terms: Terms): Promise<UploadGrant> {
  const now = Date.now();
  const grant = await openUploadToken(vaultOf(c.var.settings.vaultKeys), token);
  if (!grant) return refuse(c);
  letRead(c, grant);
  if (isForeign(c, grant)) {
    return refuseAnonymous(c, new ApiError(403, "The upload token is for pages of other sites"));
  }
  // What was answered under an Idempotency-Key is answered again with a token that is spent.
  const isSpent = (spent.get(grant.id) ?? 0) > now && c.req.header(IDEMPOTENCY_KEY) === undefined;
  if (isSpent || grant.expiresAt <= now) return refuse(c);
  const holder = await holderOf(c, grant, now).catch((error: unknown) => refuseAnonymous(c, error));
  if (!holder) return refuse(c);
  const { id, uses, expiresAt } = grant;
  countHolder(c, holder, terms, { id, uses, expiresAt });
  c.set("grant", grant);
  const admission = await c.var.admission;
  if (admission?.isSpent) {
    spent.set(id, now + SPENT_TOKEN_CACHE_MS);
    // It is counted by the address instead: a visitor must not use up the window of the key.
    c.set("admission", undefined);
    return refuse(c);
  }
  await admitted(c);
  return grant;
}

/** Whose name a token acts in; null when its key was deleted, or its account is suspended. */
async function holderOf(c: AppContext, grant: UploadGrant, now: number): Promise<Holder | null> {
  try {
    const holder = await findHolderById(c.env.DB, grant.key, now);
    return holder?.account.id === grant.account && holder.account.status === "active" ? holder : null;
  } catch (cause) {
    throw outage("The service cannot check upload tokens right now", cause);
  }
}

async function refuse(c: AppContext): Promise<never> {
  const headers = { "WWW-Authenticate": CHALLENGE };
  return refuseAnonymous(c, new ApiError(401, "The upload token is not valid or has been used up", { headers }));
}

/**
 * Whether an upload comes from a page that its token does not list. What comes from no page, and from the service's own, is
 * not foreign.
 */
function isForeign({ req, var: { settings } }: AppContext, { origins }: UploadGrant): boolean {
  const origin = req.header("origin");
  if (!origins || origin === undefined || origins.includes(origin)) return false;
  return ![new URL(req.url).origin, settings.baseUrl && URL.parse(settings.baseUrl)?.origin].includes(origin);
}

function letRead(c: AppContext, { origins = [] }: UploadGrant): void {
  const origin = c.req.header("origin");
  if (origin !== undefined && origins.includes(origin)) c.set("reader", origin);
}

/**
 * What lets a page ask whether it may send an upload. Which token will come with it is not known yet, so that any page may
 * send one, as a form on any page may anyway: an upload of a page that its token does not list is refused before its file
 * is read, and the answer says which page may read it. No cookies and no passwords that a browser keeps are ever sent
 * along. Where private origins are allowed, pages of other sites may not ask either.
 */
export function preflightHeaders(c: AppContext): Record<string, string> {
  const { req } = c;
  const { settings } = c.var;
  const origin = req.header("origin");
  if (!isOurPage(c, origin)) return {};
  if (origin === undefined || req.header("access-control-request-method") !== "POST") return {};
  return {
    "Access-Control-Allow-Origin": origin,
    "Access-Control-Allow-Methods": "POST",
    "Access-Control-Allow-Headers": `Authorization, ${IDEMPOTENCY_KEY}, X-${settings.serviceName}-Binary`,
    "Access-Control-Max-Age": String(PREFLIGHT_SECONDS),
    Vary: "Origin",
  };
}

/** What lets the pages that a token lists read its answer, whatever that is. */
export function readerHeaders({ var: { reader, settings } }: AppContext): Record<string, string> {
  if (reader === undefined) return {};
  const exposed = ["X-Request-Id", "Retry-After", "Idempotent-Replayed", `X-${settings.serviceName}-Metadata`];
  return {
    "Access-Control-Allow-Origin": reader,
    "Access-Control-Expose-Headers": exposed.join(", "),
    Vary: "Origin",
  };
}
