/** The HTTP entrance: middleware in order, routes from the table, one place where errors become answers. */
import { Hono } from "hono";

import { type Holder, refusalOf } from "../account/keys.ts";
import type { UploadGrant } from "../account/upload-tokens.ts";
import { settingsOf } from "../env.ts";
import { ApiError } from "../errors.ts";
import { causesOf, logLine } from "../log.ts";
import { count } from "../metrics.ts";
import type { Pipeline } from "../pipeline/edges.ts";
import { INFO_PATH } from "../pipeline/info.ts";
import { withoutEnd } from "../without-end.ts";
import { holderOf, isOperator, unauthorized } from "./authenticate.ts";
import { closeCaller, expectWork } from "./caller.ts";
import type { AppContext, AppEnv } from "./context.ts";
import { isFromWorker } from "./drawn.ts";
import { receivedId } from "./handed-over.ts";
import { showInfo } from "./handlers/info.ts";
import { countFormerHolder, countHolder, type Terms } from "./holder.ts";
import { wholeOf } from "./inside.ts";
import { checkHost, checkPage, isLoopback } from "./local.ts";
import { handedOver } from "./overflow.ts";
import {
  admitted,
  admittedWithCredit,
  closeCount,
  countedHeaders,
  countAnonymousClient,
  refuseAnonymous,
  startCount,
  takeBackCount,
} from "./rate-limit.ts";
import { replyError } from "./reply.ts";
import type { Route } from "./route.ts";
import { ROUTES } from "./routes.ts";
import { discardBody } from "./unread.ts";
import { bearerToken, enterWithToken, mayCarryToken, preflightHeaders, readerHeaders } from "./upload-token.ts";

export function createApp(pipeline: Pipeline): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ getPath: pathOf });
  app.use("*", async (c, next) => {
    const startedAt = Date.now();
    c.set("id", wholeOf(c.req.raw) ?? receivedId(c.req.raw) ?? crypto.randomUUID());
    c.set("enter", async (request) => app.fetch(request, c.env, c.executionCtx));
    await next();
    await finish(c, startedAt);
  });
  app.use("*", async (c, next) => {
    begin(c, pipeline);
    checkHost(c);
    await next();
  });
  app.onError((error, c) => replyError(c, error));
  for (const route of ROUTES) {
    app.on(route.method.toUpperCase(), route.pattern ?? route.path, async (c) => {
      c.set("route", route.path);
      // What is open to everybody and asks no origin is open to every page.
      if (route.access !== "open" || route.tag === "Deliveries") checkPage(c);
      const answer = route.costsCredit ? await handedOver(c) : undefined;
      if (answer) return answer;
      await enter(c, route.access, route);
      // What comes without a key may have its token in its body: the handler asks for it, before it keeps any of the
      // rest.
      if (c.var.door) return route.handler(c);
      await (route.costsCredit ? admittedWithCredit(c) : admitted(c));
      return route.handler(c);
    });
  }
  for (const [path, routes] of Map.groupBy(ROUTES, (route) => route.pattern ?? route.path)) {
    app.all(path, (c) => refuseMethod(c, path, routes));
  }
  app.post(INFO_PATH, async (c, next) => {
    if (!isFromWorker(c.req.raw)) return next();
    c.set("route", INFO_PATH);
    await enter(c, "key");
    await admitted(c);
    return showInfo(c);
  });
  app.all("*", async (c) => {
    checkPage(c);
    await enter(c, c.req.path.startsWith("/1.0/") ? "key" : "unknown");
    await admitted(c);
    throw notFound();
  });
  return app;
}

/** The path without trailing slashes, which are accepted everywhere. */
function pathOf(request: Request): string {
  const path = withoutEnd(new URL(request.url).pathname, "/");
  return path === "" ? "/" : path;
}

function begin(c: AppContext, pipeline: Pipeline): void {
  c.set("route", "none");
  c.set("pipeline", pipeline);
  c.set("settings", settingsOf(c.env));
  const asked = c.req.header(`X-${c.var.settings.serviceName}-Binary`)?.trim().toLowerCase();
  c.set("binary", asked === "1" || asked === "true");
}

/**
 * The first doors: HTTPS, and the key or token. The meter is asked, and its answer awaited before anyone looks at the
 * body.
 */
async function enter(c: AppContext, access: Route["access"] | "unknown", terms: DoorTerms = {}): Promise<void> {
  if (access === "open") return;
  const url = new URL(c.req.url);
  if (url.protocol !== "https:" && !isLoopback(url.hostname)) {
    await refuseAnonymous(c, new ApiError(403, "HTTPS is required"));
  }
  if (terms.takesUploadTokens && mayCarryToken(c)) return c.set("door", (text) => enterWithBody(c, text, terms));
  const token = terms.takesUploadTokens ? bearerToken(c.req.header("authorization")) : undefined;
  if (token !== undefined) await enterWithToken(c, token, terms);
  else if (access === "operator") await enterOperator(c);
  else await enterHolder(c, access === "key", terms);
}

/** What the doors have to know of a route. */
type DoorTerms = Terms & Pick<Route, "takesUploadTokens">;

/** The same doors for who sends an upload token in the body: it stands before all that is worth keeping. */
async function enterWithBody(c: AppContext, token: string | undefined, terms: Terms): Promise<UploadGrant> {
  if (token === undefined) return refuseAnonymous(c, unauthorized(undefined));
  const grant = await enterWithToken(c, token, terms);
  await admittedWithCredit(c);
  expectWork(c, grant.data);
  return grant;
}

async function enterHolder(c: AppContext, required: boolean, terms: Terms): Promise<void> {
  const ahead = (former: Holder) => countFormerHolder(c, former, terms);
  const holder = await holderOf(c, ahead).catch((error: unknown) => refuseAnonymous(c, error));
  if (!holder) {
    takeBackCount(c);
    if (required) await refuseAnonymous(c, unauthorized(c.req.header("authorization")));
    countAnonymousClient(c);
    return;
  }
  countHolder(c, holder, terms);
  if (c.var.account) return;
  await admitted(c);
  throw refusalOf(holder);
}

async function enterOperator(c: AppContext): Promise<void> {
  const { adminToken, rateLimit } = c.var.settings;
  if (adminToken === undefined) await refuseAnonymous(c, notFound());
  else if (await isOperator(c.req.header("authorization"), adminToken)) {
    startCount(c, { meter: "operator", ask: { key: "any", limit: rateLimit } });
  } else await refuseAnonymous(c, unauthorized(c.req.header("authorization")));
}

/**
 * 405 with `Allow`; OPTIONS is answered, without any cross-origin permission but for uploads with a token: keys do not
 * belong into pages.
 */
async function refuseMethod(c: AppContext, path: string, routes: readonly Route[]): Promise<Response> {
  c.set("route", path);
  const methods = routes.map((route) => route.method.toUpperCase());
  const allow = [...methods, ...(methods.includes("GET") ? ["HEAD"] : []), "OPTIONS"].join(", ");
  const { access = "unknown" as const, isForAgents } = routes[0] ?? {};
  if (c.req.method === "OPTIONS") {
    await enter(c, access === "open" ? "open" : "unknown", { ...(isForAgents && { isForAgents }) });
    await admitted(c);
    const forPages = routes.some((route) => route.takesUploadTokens) ? preflightHeaders(c) : {};
    return c.body(null, 204, { Allow: allow, ...forPages });
  }
  await enter(c, access, { ...(isForAgents && { isForAgents }) });
  await admitted(c);
  throw new ApiError(405, "Method not allowed", { headers: { Allow: allow } });
}

/** Methods that are counted by their names. */
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

/** What every answer gets, and the one log line of the request. */
async function finish(c: AppContext, startedAt: number): Promise<void> {
  // It has them, and the line was written, where it was answered.
  if (c.var.isElsewhere) return;
  const headers = { "X-Request-Id": c.var.id, ...(await countedHeaders(c)), ...readerHeaders(c) };
  for (const [name, value] of Object.entries(headers)) c.res.headers.set(name, value);
  // A cache may keep what says nothing, as the platform's own does where the operator has switched it on.
  if (!c.res.headers.has("Cache-Control")) c.res.headers.set("Cache-Control", "no-store");
  const { status } = c.res;
  closeCaller(c);
  await closeCount(c, status);
  await discardBody(c.req.raw);
  const { id, route, failure } = c.var;
  const milliseconds = Date.now() - startedAt;
  countPoint(c, milliseconds);
  count("requests_total", { method: METHODS.has(c.req.method) ? c.req.method : "other", route, status });
  count("request_seconds_total", { route }, milliseconds / 1000);
  const line = { id, method: c.req.method, route, status, ms: milliseconds };
  if (status >= 500) logLine("error", { ...line, causes: causesOf(failure) });
  else if (status >= 400 && c.var.account) logLine("warning", line);
  else logOneOf(c.var.settings.logSample, line);
}

/**
 * Lines of what went well, and of what anonymous clients are refused, cost more than answering it: so many stand for
 * all.
 */
function logOneOf(sample: number, line: Readonly<Record<string, unknown>>): void {
  if (Math.random() * sample < 1) logLine("info", sample === 1 ? line : { ...line, sample });
}

/**
 * One data point per request where the operator has bound a dataset: requests and time by account, route and status.
 */
function countPoint(c: AppContext, milliseconds: number): void {
  const { ANALYTICS } = c.env as { ANALYTICS?: AnalyticsEngineDataset };
  const { route, account } = c.var;
  ANALYTICS?.writeDataPoint({
    indexes: [account?.id ?? "none"],
    blobs: [c.req.method, route, String(c.res.status)],
    doubles: [milliseconds],
  });
}

function notFound(): ApiError {
  return new ApiError(404, "Resource not found");
}
