/** Guarded calls to addresses that callers name: scheme, address, redirects, credentials, time and bytes. */
import { isIpAddress, isPublicAddress } from "../address.ts";
import { ApiError } from "../errors.ts";
import { baseName } from "../files.ts";
import { announcedBytes, basicCredentials, dispositionFileName, parseHeaderValue } from "../header.ts";
import { MAX_REDIRECTS } from "../limits.ts";
import { percentDecoded } from "../percent.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { HeldBytes, Memory } from "../scheduler/held-bytes.ts";
import { byteReaderOf } from "./byte-reader.ts";
import type { Deadline } from "./deadline.ts";
import { gather, type Gatherer, type Room, roomFor } from "./gather.ts";
import type { Original } from "./original.ts";

/** What to fetch, and with what. */
export interface Target {
  /** May carry credentials (`user:password@`): they travel as a header, to this origin only. */
  readonly url: URL;
  /** Sent to this origin only. */
  readonly headers: Headers;
}

/** The bounds of a call. */
export interface Terms {
  readonly serviceName: string;
  readonly allowPrivateOrigins: boolean;
  readonly maxBytes: number;
  /** Where room is set aside before a body is read. */
  readonly memory: Memory;
  /** From the call to the last byte, all redirects and calls under these terms included. */
  readonly deadline: Deadline;
  /** Who waits for room. */
  readonly caller?: Caller | undefined;
  /** Whether a redirect may lead there; absent: anywhere that is public. */
  readonly follows?: (url: URL) => boolean;
}

/** An image with what its origin said about it. */
export interface Remote extends Original {
  readonly headers: Headers;
}

/**
 * What stood in the way of an image: the status that an origin answered with, no answer in time, an answer that is no image
 * however often it is asked for, or something else.
 */
export type Trouble = number | "late" | "unfit" | "other";

/** The error of an image that could not be fetched. */
export class OriginError extends ApiError {
  override name = "OriginError";
  readonly trouble: Trouble;

  constructor(message: string, trouble: Trouble, cause: unknown) {
    super(422, message, { cause, reason: "origin" });
    this.trouble = trouble;
  }
}

/** No format by name: origins that negotiate would send a recompressed picture instead of the one that was asked for. */
const ACCEPT = "image/*,*/*;q=0.8";
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
const NOT_MODIFIED = 304;
/** Codings that the runtime undoes itself. */
const CODINGS = new Set(["", "identity", "gzip", "br"]);

/**
 * Fetches an image. Its name is what the origin calls it, or else the last segment of the URL that was asked for.
 * @throws ApiError 413 for too many bytes (before they are read), 503 when there is no room for them, 422 for everything
 *   else that stands in the way
 */
export async function readRemote(target: Target, terms: Terms): Promise<Remote> {
  const { response, url } = await call(target, terms);
  if (response.status === NOT_MODIFIED) throw unable(`origin answered ${NOT_MODIFIED}`, undefined, NOT_MODIFIED);
  return remoteOf(response, [target.url, url], terms);
}

/**
 * Fetches an image under a condition that its headers make; null when the origin says that nothing has changed.
 * @throws ApiError as `readRemote` does
 */
export async function readRemoteIfChanged(target: Target, terms: Terms): Promise<Remote | null> {
  const { response, url } = await call(target, terms);
  if (response.status !== NOT_MODIFIED) return remoteOf(response, [target.url, url], terms);
  await discard(response);
  return null;
}

/**
 * Fetches an image whose headers say that it is wanted; the headers alone of one that is not.
 * @throws ApiError as `readRemote` does
 */
export async function readRemoteIfWanted(
  target: Target,
  terms: Terms,
  isWanted: (headers: Headers) => Promise<boolean>,
): Promise<Remote | Headers> {
  const { response, url } = await call(target, terms);
  try {
    if (await isWanted(response.headers)) return await remoteOf(response, [target.url, url], terms);
  } catch (error) {
    await discard(response);
    throw error;
  }
  await discard(response);
  return response.headers;
}

async function remoteOf(response: Response, urls: readonly URL[], terms: Terms): Promise<Remote> {
  const { bytes, memory } = await readBody(response, terms);
  return { bytes, memory, name: nameOf(response.headers, urls), headers: response.headers };
}

/** The answer to a GET, all redirects followed; its status is 2xx, or 304. */
async function call(target: Target, terms: Terms): Promise<{ response: Response; url: URL }> {
  let { url, headers } = withCredentials(target);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    checkAddress(url, terms);
    const response = await send(url, headers, terms);
    if (response.ok || response.status === NOT_MODIFIED) return { response, url };
    await discard(response);
    const next = redirectOf(response, url);
    if (terms.follows?.(next) === false) throw unfit("origin redirects to where it may not");
    if (next.origin !== url.origin) headers = new Headers();
    url = next;
  }
  throw unable(`origin redirects more than ${MAX_REDIRECTS} times`);
}

/** Credentials of a URL as a header; a header that was given wins. */
function withCredentials({ url, headers }: Target): { url: URL; headers: Headers } {
  const sent = new Headers(headers);
  if ((url.username !== "" || url.password !== "") && !sent.has("authorization")) {
    sent.set("authorization", basicCredentials(url));
  }
  return { url: withoutCredentials(url), headers: sent };
}

function withoutCredentials(url: URL): URL {
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  bare.hash = "";
  return bare;
}

function checkAddress(url: URL, terms: Terms): void {
  if (url.protocol !== "http:" && url.protocol !== "https:") throw unable("only http and https URLs are fetched");
  if (!terms.allowPrivateOrigins && !isPublicAddress(url.hostname)) throw unable("its address is not public");
  if (!terms.allowPrivateOrigins && isIpAddress(url.hostname))
    throw unable("hosts are called by name, not by IP address");
}

async function send(url: URL, headers: Headers, terms: Terms): Promise<Response> {
  const sent = new Headers(headers);
  if (!sent.has("user-agent")) sent.set("user-agent", `${terms.serviceName}/1.0`);
  if (!sent.has("accept")) sent.set("accept", ACCEPT);
  // Images gain nothing from a coding, and a coded length says nothing about the bytes that will be held.
  sent.set("accept-encoding", "identity");
  try {
    // The platform's cache knows nothing of the headers that led to an image: it would hand one caller's picture to
    // another. It would also keep old pictures for hours.
    return await fetch(url.href, {
      headers: sent,
      redirect: "manual",
      cache: "no-store",
      signal: terms.deadline.signal,
    });
  } catch (cause) {
    throw failed(cause, terms);
  }
}

/** @throws ApiError 422 when the answer is none of success and usable redirect */
function redirectOf(response: Response, url: URL): URL {
  const location = response.headers.get("location");
  const { status } = response;
  if (!REDIRECTS.has(status) || location === null) throw unable(`origin answered ${status}`, undefined, status);
  const next = URL.parse(location, url.href);
  if (next === null) throw unfit("origin redirects to something that is no URL");
  // An origin does not choose the credentials that we send.
  return withoutCredentials(next);
}

async function readBody(response: Response, terms: Terms): Promise<HeldBytes> {
  const { length, room } = await admit(response, terms);
  const { reservation: memory, need } = room;
  const waiting = (bytes: number) => {
    const more = need(bytes);
    return more && terms.deadline.paused(() => more);
  };
  const content = gather(terms.maxBytes, length, () => tooLarge(terms.maxBytes), waiting);
  try {
    if (response.body !== null) await pour(response.body, content.write, terms);
    const bytes = content.bytes();
    if (length !== undefined && bytes.length < length) throw unable("origin cut its answer short");
    if (bytes.length === 0) throw unfit("origin sent no image");
    memory.shrink(bytes.buffer.byteLength);
    return { bytes, memory };
  } catch (error) {
    memory.release();
    throw error;
  }
}

/**
 * Judges an answer by its headers, and sets room aside for its body.
 * What comes out of a coding is counted after it: its length is not the announced one.
 */
async function admit(
  { headers, body }: Response,
  { maxBytes, memory, deadline, caller }: Terms,
): Promise<{ length: number | undefined; room: Room }> {
  try {
    const coding = headers.get("content-encoding")?.trim().toLowerCase() ?? "";
    if (!CODINGS.has(coding)) throw unfit("origin uses an unsupported content coding");
    const length = announcedBytes(headers);
    if (length !== undefined && length > maxBytes) throw tooLarge(maxBytes);
    const isPlain = coding === "" || coding === "identity";
    const known = isPlain ? length : undefined;
    return { length: known, room: await deadline.paused(() => roomFor(memory, known, maxBytes, caller)) };
  } catch (error) {
    await body?.cancel().catch(() => undefined);
    throw error;
  }
}

/** Reads a body to its end or to the deadline, whichever comes first. */
async function pour(body: ReadableStream<Uint8Array>, write: Gatherer["write"], terms: Terms): Promise<void> {
  const { signal } = terms.deadline;
  const reader = byteReaderOf(body);
  const stop = (): void => void reader.cancel().catch(() => undefined);
  signal.addEventListener("abort", stop);
  try {
    for (;;) {
      // A reader that was canceled at the deadline reports an end like any other.
      if (signal.aborted) throw failed(signal.reason, terms);
      const piece = await reader.read().catch((cause: unknown) => {
        throw failed(cause, terms, "origin broke off its answer");
      });
      if (piece !== undefined) await write(piece);
      else if (!signal.aborted) return;
    }
  } catch (error) {
    stop();
    throw error;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

async function discard(response: Response): Promise<void> {
  await response.body?.cancel().catch(() => undefined);
}

function nameOf(headers: Headers, urls: readonly URL[]): string {
  const disposition = headers.get("content-disposition");
  const given = disposition === null ? undefined : dispositionFileName(parseHeaderValue(disposition));
  const segments = urls.map(lastSegment);
  return [given ?? "", ...segments].map(baseName).find((name) => name !== "") ?? "";
}

/** Text that is no valid percent-encoding stays as it is. */
function lastSegment({ pathname }: URL): string {
  const segment = pathname.split("/").at(-1) ?? "";
  return percentDecoded(segment) ?? segment;
}

function failed(cause: unknown, terms: Terms, reason = "origin is not reachable"): ApiError {
  return terms.deadline.signal.aborted ? unable("origin took too long", cause, "late") : unable(reason, cause);
}

function tooLarge(maxBytes: number): ApiError {
  return new ApiError(413, `Image exceeds the maximum size of ${maxBytes} bytes`);
}

function unfit(reason: string): ApiError {
  return unable(reason, undefined, "unfit");
}

/** A refusal that says nothing of what the origin said. */
export function unable(reason: string, cause?: unknown, trouble: Trouble = "other"): ApiError {
  return new OriginError(`Unable to fetch image: ${reason}`, trouble, cause);
}
