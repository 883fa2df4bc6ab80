/** Who is calling: an API key as Basic user name or as Bearer token, or the operator's token. */
import { type Holder, findHolder } from "../account/keys.ts";
import { UPLOAD_TOKEN_PREFIX } from "../account/upload-tokens.ts";
import { ApiError, outage } from "../errors.ts";
import { type AppContext, rememberingOf } from "./context.ts";
import { isPageOfThisMachine } from "./local.ts";
import { countAnonymousClient, forgetAnonymousClient } from "./rate-limit.ts";

export const CHALLENGE = 'Basic realm="api", Bearer';

/** Longer than any key; what is longer is not worth hashing. */
const MAX_TOKEN_CHARACTERS = 512;

/** What the Authorization header carries; undefined when there is none, or none that can be read. */
export function credentialOf(header: string | undefined): string | undefined {
  const match = /^ *(basic|bearer) +([^ ]+) *$/i.exec(header ?? "");
  const [, scheme, token] = match ?? [];
  if (!scheme || !token || token.length > MAX_TOKEN_CHARACTERS) return undefined;
  const credential = scheme.toLowerCase() === "bearer" ? token : userNameOf(token);
  return credential === "" ? undefined : credential;
}

/** The user name of Basic credentials (RFC 7617); the password is empty for us, a missing colon is forgiven. */
function userNameOf(token: string): string | undefined {
  try {
    const [userName, ...password] = atob(token).split(":");
    return password.join(":") === "" ? userName : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The holder of the request's key.
 * @returns null when there is no key or it is unknown
 * @throws ApiError 403 where a page of another site may have its browser add the key, 429 when too many keys of its address
 *   were unknown, 503 when the database does not answer
 * @param onFormer called once at most while the database is asked, with whom the key belonged to lately
 */
export async function holderOf(c: AppContext, onFormer?: (holder: Holder) => void): Promise<Holder | null> {
  refuseKeyOfBrowser(c);
  const key = credentialOf(c.req.header("authorization"));
  // An upload token is no key, wherever it may be used.
  if (key === undefined || key.startsWith(UPLOAD_TOKEN_PREFIX)) return null;
  try {
    const holder = await findHolder(c.env.DB, key, Date.now(), {
      onAnonymousClient: () => countAnonymousClient(c),
      ...(onFormer && {
        remembering: rememberingOf(c),
        onFormer: (former) => {
          forgetAnonymousClient(c);
          onFormer(former);
        },
      }),
    });
    if (holder) forgetAnonymousClient(c);
    return holder;
  } catch (cause) {
    if (cause instanceof ApiError) throw cause;
    throw outage("The service cannot check keys right now", cause);
  }
}

/** Methods that change nothing: a page that has the browser send them is told nothing. */
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Refuses a key that a browser may have added by itself, as it does once a visitor has typed it where Basic credentials were
 * asked for: any page could have it send a form, and spend credits. What a program says, and pages of the service, are not
 * meant.
 * @throws ApiError 403
 */
function refuseKeyOfBrowser(c: AppContext): void {
  const { req } = c;
  if (SAFE.has(req.method) || !/^ *basic /i.test(req.header("authorization") ?? "")) return;
  const origin = req.header("origin");
  const site = req.header("sec-fetch-site") ?? "none";
  if (origin === undefined ? site === "none" || site === "same-origin" : isOwnOrigin(c, origin)) return;
  throw new ApiError(403, "A key is not taken as Basic credentials from pages of other sites");
}

function isOwnOrigin(c: AppContext, origin: string): boolean {
  const { baseUrl } = c.var.settings;
  const own = [c.req.url, ...(baseUrl === undefined ? [] : [baseUrl])].map((url) => new URL(url).origin);
  return own.includes(origin) || isPageOfThisMachine(c, origin);
}

/** 401 for a call without a valid key or token. */
export function unauthorized(header: string | undefined): ApiError {
  const message = header === undefined ? "Missing API key" : "Invalid API key";
  return new ApiError(401, message, { headers: { "WWW-Authenticate": CHALLENGE } });
}

/** Whether the request carries the operator's token; the time it takes tells nothing about the token. */
export async function isOperator(header: string | undefined, adminToken: string): Promise<boolean> {
  const [, token] = /^ *bearer +([^ ]+) *$/i.exec(header ?? "") ?? [];
  const [given, expected] = await Promise.all([digest(token ?? ""), digest(adminToken)]);
  return crypto.subtle.timingSafeEqual(given, expected);
}

function digest(text: string): Promise<ArrayBuffer> {
  return crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
}
