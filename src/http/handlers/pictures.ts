/** Pictures by address. */
import type { Asked, Dialect, Manners, Spelled } from "../../delivery/asked.ts";
import { canonicalOf } from "../../delivery/canonical.ts";
import { countDelivery, countSampled } from "../../delivery/counts.ts";
import type { DialectName } from "../../delivery/dialect-names.ts";
import { DIALECTS } from "../../delivery/dialects.ts";
import { cacheControl, edgeName, fromEdge, keepAtEdge } from "../../delivery/edge-cache.ts";
import { tagsOf } from "../../delivery/front-cache.ts";
import { ACCEPT_CH, VARY_HINTS, withHintedWidth } from "../../delivery/hints.ts";
import { LookAhead } from "../../delivery/look-ahead.ts";
import { findDeliveryById } from "../../delivery/lookup.ts";
import type { Order } from "../../delivery/order.ts";
import { acceptOf, AddressRefused, admit } from "../../delivery/policy.ts";
import type { OpenedDelivery } from "../../delivery/records.ts";
import { findResult, findSameResult, resultKey } from "../../delivery/results.ts";
import { type Picture, serve } from "../../delivery/serve.ts";
import { identityOf, type Located } from "../../delivery/sources.ts";
import { ApiError } from "../../errors.ts";
import { startStopwatch } from "../../image/pixels/stopwatch.ts";
import {
  DRAFT_CACHE_SECONDS,
  FAILING_CACHE_SECONDS,
  MAX_DELIVERY_WAIT_MS,
  STALE_SECONDS,
} from "../../limits/delivery.ts";
import { pictureHeaders, policyHeaders } from "../../picture-headers.ts";
import { busy } from "../../scheduler/busy.ts";
import { Caller } from "../../scheduler/caller.ts";
import { credentialOf, holderOf } from "../authenticate.ts";
import { answerTo } from "../conditional.ts";
import { type AppContext, baseOf, rememberingOf } from "../context.ts";
import { canLend, lend } from "../lending.ts";
import { countAnonymousClient, forgetAnonymousClient, refuseAnonymous } from "../rate-limit.ts";

/** GET and HEAD /i/<delivery>/…, /imgproxy/<delivery>/… and /next/<delivery>/_next/image */
export async function showPicture(c: AppContext, name: DialectName): Promise<Response> {
  try {
    return await shown(c, name);
  } catch (error) {
    const { manners }: Dialect = DIALECTS[name];
    const isOurs = error instanceof ApiError && !(error instanceof ExplainedRefusal) && !error.isText;
    throw uncached(isOurs && manners ? manners.refusal(error) : error);
  }
}

/** Errors are not kept by caches but where they say so. */
function uncached(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  const { status, message, cause, headers, reason, isText } = error;
  const uncachedHeaders = { "Cache-Control": "no-store", ...headers };
  return new ApiError(status, message, { cause, headers: uncachedHeaders, isText, ...(reason && { reason }) });
}

/** An address that was admitted, and how its answer looks. */
interface Asking extends Order {
  readonly asked: Asked;
  readonly manners: Manners | undefined;
  /** When the address stops being good, milliseconds since 1970. */
  readonly goodUntil: number;
}

async function shown(c: AppContext, name: DialectName): Promise<Response> {
  const ahead = new LookAhead();
  try {
    return await shownAfter(c, name, ahead);
  } finally {
    c.executionCtx.waitUntil(ahead.drop());
  }
}

async function shownAfter(c: AppContext, name: DialectName, ahead: LookAhead): Promise<Response> {
  const startedAt = Date.now();
  const asking = await admittedAddress(c, DIALECTS[name], ahead).catch((error: unknown) => {
    // What breaks a rule without a signature is an anonymous client's as well.
    const isStrange =
      error instanceof ApiError && !(error instanceof ExplainedRefusal) && STRANGE.includes(error.status);
    if (isStrange && !(error.status === 422 && isSigned(c, DIALECTS[name]))) return refuseAnonymous(c, error);
    throw error;
  });
  const { asked, located, delivery } = asking;
  const edge = await edgeNameOf(c, asking);
  const kept = await fromEdge(edge);
  if (kept) return finished(c, asking, kept, "hit", `total;dur=${Date.now() - startedAt}`);
  const stopwatch = startStopwatch();
  try {
    const { env, executionCtx } = c;
    const defer = (work: Promise<unknown>) => executionCtx.waitUntil(work);
    const { settings, pipeline } = c.var;
    // Anonymous clients of a page, who wait for no more than a draft.
    const { id, route } = c.var;
    const caller = new Caller({
      account: delivery.accountId,
      isGuest: true,
      maxWaitMs: MAX_DELIVERY_WAIT_MS,
      about: { id, route },
    });
    const picture = await readable(
      c,
      asking,
      await serve({ env, settings, pipeline, defer, stopwatch, caller, ahead }, asking),
    );
    const answer = await answerOf(c, asking, picture);
    const isShared = picture.facts.caching === undefined;
    if (c.req.method === "GET" && isShared) defer(keepCopy(env.BUCKET, edge, asking, { answer, picture }));
    const { decode, operations, encode } = stopwatch.spent;
    const { waitedMs: wait } = caller;
    const parts = picture.cache === "miss" ? { ...(wait >= 1 && { wait }), decode, operations, encode } : {};
    const timing = Object.entries({ ...parts, total: Date.now() - startedAt });
    const header = timing.map(([part, spent]) => `${part};dur=${Math.max(0, Math.round(spent))}`).join(", ");
    return finished(c, asking, answer, picture.cache, header);
  } catch (error) {
    if (asked.redirects && located.kind === "web") return redirected(located);
    throw error;
  }
}

/** Refusals of addresses that anonymous clients make up. */
const STRANGE: readonly number[] = [400, 403, 404, 422];

/** Whether an address carries a signature, which was judged before its options were. */
function isSigned(c: AppContext, dialect: Dialect): boolean {
  return dialect.split(pathOf(c).path)?.signature !== undefined;
}

/** @throws ApiError 403, 404, 422 */
async function admittedAddress(c: AppContext, dialect: Dialect, ahead: LookAhead): Promise<Asking> {
  const now = Date.now();
  const { id, path } = pathOf(c);
  const spelled = dialect.split(path);
  const delivery =
    spelled &&
    (await findDeliveryById(c.env, c.var.settings, id, now, {
      onAnonymousClient: () => countAnonymousClient(c),
      onFormer: (delivery) =>
        ahead.begin(c.env.BUCKET, () => nameAhead(c, askingOf(c, dialect, { delivery, spelled }, now))),
      remembering: rememberingOf(c),
    }));
  if (!spelled || !delivery) throw new ApiError(404, "Resource not found");
  forgetAnonymousClient(c);
  return askingOf(c, dialect, { delivery, spelled }, now).catch((error: unknown) => explained(c, delivery, error));
}

/** What to look for in the bucket, unless it is here. */
async function nameAhead(c: AppContext, admitted: Promise<Asking>): Promise<string | undefined> {
  const asking = await admitted;
  const kept = await fromEdge(await edgeNameOf(c, asking));
  await kept?.body?.cancel();
  return kept ? undefined : asking.key;
}

function edgeNameOf(c: AppContext, { asked, key, delivery }: Asking): Promise<Request> {
  const shape = JSON.stringify([asked.wantsFacts, asked.fileName, asked.isAttachment]);
  return edgeName(baseOf(c), key, delivery.edition, shape);
}

/** @throws ApiError 403, 404, 422 */
async function askingOf(
  c: AppContext,
  dialect: Dialect,
  { delivery, spelled }: { readonly delivery: OpenedDelivery; readonly spelled: Spelled },
  now: number,
): Promise<Asking> {
  const { asked: said, located, isUnsigned, goodUntil } = await admit(delivery, dialect, spelled, now);
  const asked = withHintedWidth(delivery, said, (name) => c.req.header(name));
  const canonical = canonicalOf(delivery, asked, acceptOf(delivery, dialect, c.req.header("accept")));
  const key = await resultKey(delivery.id, identityOf(located), canonical.text);
  const { source = "", wantsFacts: needsFinal } = asked;
  return {
    askedAt: now,
    delivery,
    located,
    source,
    canonical,
    key,
    needsFinal,
    isUnsigned,
    asked,
    manners: dialect.manners,
    goodUntil,
  };
}

/** A refusal as the owner of the delivery is told of it. */
class ExplainedRefusal extends ApiError {}

/** Throws a refusal again: with its reason where the request carries a key of the delivery's account. */
async function explained(c: AppContext, delivery: OpenedDelivery, error: unknown): Promise<never> {
  if (!(error instanceof AddressRefused) || credentialOf(c.req.header("authorization")) === undefined) throw error;
  const holder = await holderOf(c);
  if (holder?.account.id !== delivery.accountId) throw error;
  throw new ExplainedRefusal(error.status, `${error.message}: ${error.why}`, { cause: error });
}

/** The delivery of an address, and what stands behind it. */
function pathOf(c: AppContext): { readonly id: string; readonly path: string } {
  const { pathname } = splitUrl(c.req.url);
  const [, id = "", path = ""] = /^\/[^/]+\/([^/?]+)(\/[^]*)?$/.exec(pathname) ?? [];
  return { id, path };
}

/** What stands behind the host, as it was sent: signatures are about every character. */
function splitUrl(url: string): { pathname: string } {
  const start = url.indexOf("/", url.indexOf("//") + 2);
  return { pathname: start < 0 ? "/" : url.slice(start) };
}

/** A picture whose bytes may be read as slowly as anybody likes. */
interface Readable extends Picture {
  /** Its bytes where they are in memory anyway. */
  readonly bytes?: Uint8Array | undefined;
  /** The name of its object. */
  readonly storedAs?: string;
}

/**
 * A picture for who reads it: lent from memory, or else from the bucket.
 * @throws ApiError 503 when it is in neither
 */
async function readable(c: AppContext, { asked, key }: Asking, picture: Picture): Promise<Readable> {
  const { body, facts, putAside } = picture;
  if (c.req.method !== "GET" || asked.wantsFacts) return picture;
  if (body instanceof ReadableStream && !canLend(facts.picture.bytes)) return picture;
  const bytes = body instanceof ReadableStream ? new Uint8Array(await new Response(body).arrayBuffer()) : body;
  const lent = bytes && lend(bytes, (work) => c.executionCtx.waitUntil(work));
  if (lent) return { ...picture, body: lent, bytes };
  const storedAs = (await putAside?.()) ?? key;
  const stored = await findResult(c.env.BUCKET, storedAs);
  // It was purged in this moment.
  if (!stored) throw busy();
  return { ...picture, body: stored.object.body, facts: stored.facts, storedAs };
}

/**
 * Keeps an answer at the edge. A body that went both ways would be in memory for as long as the slower reader takes:
 * what is not there anyway is read from the bucket once more.
 */
async function keepCopy(
  bucket: R2Bucket,
  edge: Request,
  { asked, key }: Asking,
  { answer, picture }: { readonly answer: Response; readonly picture: Readable },
): Promise<void> {
  if (asked.wantsFacts) return keepAtEdge(edge, answer.clone());
  if (picture.bytes) return keepAtEdge(edge, new Response(picture.bytes as Uint8Array<ArrayBuffer>, answer));
  const stored = await findSameResult(bucket, picture.storedAs ?? key, picture.facts);
  if (stored) await keepAtEdge(edge, new Response(stored.object.body, answer));
}

async function answerOf(c: AppContext, asking: Asking, picture: Picture): Promise<Response> {
  const { asked, delivery, canonical, key } = asking;
  const { body, facts } = picture;
  const headers = {
    ETag: `"${facts.hash}${asked.wantsFacts ? "-json" : ""}"`,
    "Last-Modified": new Date(facts.readAt).toUTCString(),
    "Cache-Control": cachingOf(asking, facts),
    "Cache-Tag": tagsOf(delivery.id, key),
    ...policyHeaders(facts.mime),
    "Access-Control-Allow-Origin": "*",
    "Cross-Origin-Resource-Policy": "cross-origin",
    "Timing-Allow-Origin": "*",
    [`X-${c.var.settings.serviceName}-Rendition`]: facts.rendition,
    ...(canonical.accept !== undefined && { Vary: "Accept" }),
  };
  if (asked.wantsFacts) {
    if (body instanceof ReadableStream) await body.cancel();
    return Response.json(facts.picture, { headers });
  }
  const { mime, picture: known } = facts;
  const disposition = asked.isAttachment ? "attachment" : "inline";
  const sent = pictureHeaders({ mime, name: nameOf(asked, facts.name), bytes: known.bytes, disposition });
  return new Response((body ?? null) as BodyInit | null, { headers: { ...headers, ...sent } });
}

/** What caches may do with a picture: no more than with its original. */
function cachingOf(asking: Asking, facts: Picture["facts"]): string {
  if (facts.caching === "no-store") return "no-store";
  return cacheControl(`${facts.caching ?? "public"}, max-age=${secondsLeft(asking, facts)}`);
}

/**
 * Seconds for which caches may keep a picture: what is left of its time, and a while where its origin fails after that.
 */
function secondsLeft({ askedAt, delivery }: Asking, { rendition, checkedAt }: Picture["facts"]): number {
  if (rendition === "draft") return DRAFT_CACHE_SECONDS;
  const left = delivery.ttl - Math.max(0, Math.floor((askedAt - checkedAt) / 1_000));
  return left > 0 ? left : FAILING_CACHE_SECONDS;
}

/** The name that the address gives, with the extension of what it is. */
function nameOf({ fileName }: Asked, name: string): string {
  if (fileName === undefined) return name;
  const extension = /\.[^.]*$/.exec(name)?.[0] ?? "";
  return fileName.endsWith(extension) ? fileName : fileName + extension;
}

/** The answer to this request. */
function finished(
  c: AppContext,
  { delivery, goodUntil, askedAt, asked, manners }: Asking,
  answer: Response,
  cache: Picture["cache"] | "hit",
  timing: string,
): Response {
  const whole = new Response(answer.body, answer);
  const { headers } = whole;
  headers.set(`X-${c.var.settings.serviceName}-Cache`, cache);
  headers.set("Server-Timing", timing);
  headers.set("Cache-Control", capped(headers.get("Cache-Control") ?? "", goodUntil - askedAt));
  const isFinal = headers.get(`X-${c.var.settings.serviceName}-Rendition`) === "final";
  if (asked.sizedTo) {
    headers.set("Accept-CH", ACCEPT_CH);
    headers.set("Vary", [headers.get("Vary"), VARY_HINTS].filter((names) => names !== null).join(", "));
  }
  manners?.dress(headers, { cache, isFinal, asked });
  const sent = answerTo(c.req.raw, whole);
  const deliveredBytes = sent.body ? Number(sent.headers.get("content-length") ?? 0) : 0;
  const counts = { deliveredBytes, storedHits: cache === "stored" ? 1 : 0 };
  const defer = (work: Promise<unknown>) => c.executionCtx.waitUntil(work);
  // A final that was made has a row anyway.
  if (cache === "miss" && isFinal) countDelivery(c.env.DB, delivery, counts, defer);
  else countSampled(c.env.DB, delivery, counts, { sample: c.var.settings.hitSample, defer });
  return sent;
}

/**
 * Caches forget an answer when its address ends: the same answer may have addresses that end at other times. The platform's
 * cache in front would show it for ever where the Worker fails, if it were not told not to.
 */
function capped(cacheControl: string, left: number): string {
  const [, whose, seconds] = /^(public|private), max-age=(\d+)/.exec(cacheControl) ?? [];
  if (seconds === undefined || left === Infinity) return cacheControl;
  const most = Math.floor(left / 1_000);
  const isLong = Number(seconds) + STALE_SECONDS <= most;
  const lasting = isLong ? cacheControl : `${whose}, max-age=${Math.min(Number(seconds), most)}`;
  return `${lasting}, stale-if-error=0`;
}

function redirected({ url }: Extract<Located, { kind: "web" }>): Response {
  return new Response(null, { status: 302, headers: { Location: url.href, "Cache-Control": "no-store" } });
}
