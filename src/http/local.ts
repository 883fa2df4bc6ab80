/**
 * Who may call a service that reads the network it stands in: where private origins are allowed, a page on any other site
 * could read pictures of that network through the browser of whoever works here, and learn which ports are open. So only
 * the names of this machine lead to the service, and pages of other sites are answered nothing.
 */
import { ApiError } from "../errors.ts";
import type { AppContext } from "./context.ts";

const ANY = "*";

/** Whether a host is this machine, by each of its names. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.*\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

/**
 * Refuses what comes under a name that is none of this machine's: a page elsewhere may have its own name lead here.
 * @throws ApiError 403
 */
export function checkHost(c: AppContext): void {
  if (!isGuarded(c)) return;
  const named = c.req.header("host");
  const hosts = [new URL(c.req.url).hostname, ...(named === undefined ? [] : [URL.parse(`http://${named}`)?.hostname])];
  if (hosts.every((host) => host !== undefined && isOurs(c, host))) return;
  throw new ApiError(403, "This service is called by the names of its own machine, and those in ALLOWED_HOSTS");
}

/**
 * Refuses a request that a page of another site has its browser send.
 * @throws ApiError 403
 */
export function checkPage(c: AppContext): void {
  if (!isGuarded(c)) return;
  const origin = c.req.header("origin");
  // Two names of this machine are two sites to a browser: a page may hide where it is, but not say that it is here.
  const isCrossing = c.req.header("sec-fetch-site") === "cross-site";
  const page = isCrossing ? (origin ?? c.req.header("referer") ?? "") : origin;
  if (isOurPage(c, page)) return;
  throw new ApiError(403, "This service answers pages of its own machine, and of hosts in ALLOWED_HOSTS");
}

/** Whether a page of this origin may ask for anything; one without an origin is no page. */
export function isOurPage(c: AppContext, origin: string | undefined): boolean {
  if (origin === undefined || !isGuarded(c)) return true;
  const host = URL.parse(origin)?.hostname;
  return host !== undefined && isOurs(c, host);
}

/** Whether a page of this origin is on the machine that the service is called on. */
export function isPageOfThisMachine(c: AppContext, origin: string): boolean {
  const host = URL.parse(origin)?.hostname;
  return isGuarded(c) && host !== undefined && isOurs(c, host);
}

function isGuarded({ var: { settings } }: AppContext): boolean {
  return settings.allowPrivateOrigins && !settings.allowedHosts.includes(ANY);
}

function isOurs({ var: { settings } }: AppContext, host: string): boolean {
  const { baseUrl, allowedHosts } = settings;
  return (
    isLoopback(host) || allowedHosts.includes(host) || (baseUrl !== undefined && URL.parse(baseUrl)?.hostname === host)
  );
}
