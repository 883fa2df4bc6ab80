/**
 * An object store on a loopback port that judges what it receives: a dialect verifies the signature with an independent
 * signer, the front makes trouble when the bucket's name asks for it, and whatever was stored can be read at its URL.
 */
import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface Received {
  readonly method: string;
  /** As on the wire: nothing decoded, nothing tidied. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  /** This server, as the client addressed it. */
  readonly origin: string;
}

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

/** What the store knows of an object: readable as JSON in the header `x-recorded` of a GET. */
export interface Recorded {
  readonly headers: Readonly<Record<string, string>>;
  /** Requests for this object so far, refused ones included. */
  readonly attempts: number;
  /** What the dialect adds, such as the JSON resource. */
  readonly resource?: unknown;
}

export interface Dialect {
  /** The bucket and the key that a request wants to write, or undefined when it is no such request. */
  readonly target: (request: Received) => { bucket: string; key: string } | undefined;
  /** Null when the signature or the token is right. */
  readonly verify: (request: Received) => Reply | null | Promise<Reply | null>;
  /** How the store names an error. */
  readonly error: (status: number, code: string) => Reply;
  /** An access list in the request that a bucket without lists refuses. */
  readonly aclRefusal?: (request: Received) => Reply | null;
  /** What is stored of a request; the body by default. */
  readonly content?: (request: Received) => Content | Promise<Content>;
  /** The bucket whose objects a request lists; what it wants of them, and how they are told. */
  readonly listing?: (request: Received) => ListingAsk | undefined;
  /** Parts of an object that are not its bytes, such as an access list. */
  readonly part?: (request: Received, object: Recorded) => Reply | undefined;
  /** `verify` judges conditions, too. */
  readonly judgesConditions?: true;
  /** What else is told of an object with its bytes; metadata and served headers as they were sent, by default. */
  readonly tells?: (recorded: Recorded, etag: string) => Readonly<Record<string, string>>;
  /** Tokens, catalogs and other requests that are not for objects. */
  readonly other?: (request: Received) => Reply | undefined;
  readonly stored?: Reply;
}

export interface Content {
  readonly bytes: Buffer;
  readonly type: string;
  readonly resource?: unknown;
}

export interface ListedEntry {
  readonly key: string;
  readonly bytes: number;
}

export interface ListingAsk {
  /** What the address of the bucket's objects begins with. */
  readonly folder: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly after: string;
  readonly limit: number;
  /** Names from `after` on, it included, instead of those behind it. */
  readonly isFrom?: boolean;
  readonly reply: (entries: readonly ListedEntry[], isMore: boolean) => Reply;
}

interface Stored {
  readonly bytes: Buffer;
  readonly type: string;
  readonly recorded: Recorded;
}

/** Serves a dialect on a free loopback port; gives its base URL. */
export async function serve(dialect: Dialect): Promise<{ url: string; close: () => Promise<void> }> {
  const objects = new Map<string, Stored>();
  const attempts = new Map<string, number>();
  const answer = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await receive(incoming);
    const reply = request && (await judge(dialect, request, objects, attempts));
    if (reply === "drop") response.destroy();
    else if (reply && reply !== "silence") send(response, reply);
  };
  const server = createServer((incoming, response) => void answer(incoming, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

/** Undefined when the client went away before the announced length was there: nothing is stored of such a request. */
async function receive(incoming: IncomingMessage): Promise<Received | undefined> {
  const chunks: Buffer[] = [];
  try {
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
  } catch {
    return undefined;
  }
  const [path = "/", query = ""] = (incoming.url ?? "/").split("?");
  const headers = Object.fromEntries(Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]));
  const origin = `http://${headers["host"]}`;
  return {
    method: incoming.method ?? "",
    path,
    query: new URLSearchParams(query),
    headers,
    body: Buffer.concat(chunks),
    origin,
  };
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  response.writeHead(status, headers);
  response.end(body);
}

async function judge(
  dialect: Dialect,
  request: Received,
  objects: Map<string, Stored>,
  attempts: Map<string, number>,
): Promise<Reply | "drop" | "silence"> {
  const other = dialect.other?.(request);
  if (other) return other;
  const listing = request.method === "GET" ? dialect.listing?.(request) : undefined;
  if (listing) return (await dialect.verify(request)) ?? listed(dialect, listing, objects, attempts);
  if (request.method === "GET") return readable(dialect, request, objects);
  if (request.method === "DELETE") return removed(dialect, request, objects);
  const target = dialect.target(request);
  if (!target) return dialect.error(404, "NoSuchResource");
  const address = `/${target.bucket}/${target.key}`;
  const attempt = (attempts.get(address) ?? 0) + 1;
  attempts.set(address, attempt);
  const bucket = target.bucket.split("/").at(-1) ?? "";
  const trouble = troubleOf(dialect, bucket, attempt);
  if (trouble) return trouble;
  if (request.headers["content-length"] !== String(request.body.length))
    return dialect.error(411, "MissingContentLength");
  const refusal = (await dialect.verify(request)) ?? (bucket === "no-acls" ? dialect.aclRefusal?.(request) : null);
  if (refusal) return refusal;
  const missed =
    bucket === "ignores-conditions" || dialect.judgesConditions ? null : missedCondition(request, objects.get(address));
  if (missed) return dialect.error(missed, "PreconditionFailed");
  const { bytes, type, resource } = (await dialect.content?.(request)) ?? {
    bytes: request.body,
    type: request.headers["content-type"] ?? "",
  };
  objects.set(address, { bytes, type, recorded: { headers: request.headers, attempts: attempt, resource } });
  return dialect.stored ?? { status: 200 };
}

async function removed(dialect: Dialect, request: Received, objects: Map<string, Stored>): Promise<Reply> {
  const target = dialect.target({ ...request, method: "PUT" });
  if (!target) return dialect.error(404, "NoSuchResource");
  const refusal = await dialect.verify(request);
  if (refusal) return refusal;
  objects.delete(`/${target.bucket}/${target.key}`);
  return { status: 204 };
}

/** A store that keeps a condition: of the usual headers, and of Google's. */
function missedCondition({ headers, query }: Received, stored: Stored | undefined): number | null {
  const match = headers["if-match"];
  const generation = query.get("ifGenerationMatch");
  if (headers["if-none-match"] === "*" && stored) return 412;
  if (headers["x-oss-forbid-overwrite"] === "true" && stored) return 409;
  if (match !== undefined && !stored) return 404;
  if (match !== undefined && stored && match !== etagOf(stored)) return 412;
  // Google's are numbers, and nothing else is.
  if (generation !== null && !/^\d+$/.test(generation)) return 400;
  if (generation !== null && generation !== (stored ? String(stored.recorded.attempts) : "0")) return 412;
  return null;
}

function etagOf({ bytes, recorded }: Stored): string {
  return `"${createHash("md5").update(bytes).update(String(recorded.attempts)).digest("hex")}"`;
}

const TOLD =
  /^(?:x-(?:amz|oss|object)-meta-.*|x-amz-storage-class|cache-control|content-(?:disposition|language)|expires)$/;

function toldAsSent({ headers }: Recorded, etag: string): Record<string, string> {
  return { etag, ...Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD.test(name))) };
}

function listed(
  dialect: Dialect,
  { folder, bucket, prefix, after, limit, isFrom, reply }: ListingAsk,
  objects: ReadonlyMap<string, Stored>,
  attempts: Map<string, number>,
): Reply | "drop" | "silence" {
  const attempt = (attempts.get(`list ${bucket}`) ?? 0) + 1;
  attempts.set(`list ${bucket}`, attempt);
  const trouble = troubleOf(dialect, bucket, attempt);
  if (trouble) return trouble;
  const names = [...objects.keys()].filter((name) => name.startsWith(folder));
  const entries = names
    .map((name) => ({
      key: decodeURIComponent(name.slice(folder.length)),
      bytes: objects.get(name)?.bytes.length ?? 0,
    }))
    .filter(({ key }) => key.startsWith(prefix) && (key > after || (isFrom === true && key === after)))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  return reply(entries.slice(0, limit), entries.length > limit);
}

/** Anybody reads an object at its URL; who proves an identity has it judged. */
async function readable(dialect: Dialect, request: Received, objects: Map<string, Stored>): Promise<Reply> {
  const { authorization, "x-auth-token": token } = request.headers;
  if (authorization === undefined && token === undefined) return read(dialect, objects.get(request.path));
  const target = dialect.target({ ...request, method: "PUT" });
  const refusal = await dialect.verify(request);
  const object = target && objects.get(`/${target.bucket}/${target.key}`);
  const part = object && dialect.part?.(request, object.recorded);
  return refusal ?? part ?? read(dialect, object);
}

function read(dialect: Dialect, object: Stored | undefined): Reply {
  if (!object) return { status: 404 };
  const recorded = Buffer.from(JSON.stringify(object.recorded)).toString("base64");
  return {
    status: 200,
    headers: {
      ...(dialect.tells ?? toldAsSent)(object.recorded, etagOf(object)),
      "content-type": object.type,
      "x-recorded": recorded,
    },
    body: object.bytes,
  };
}

/** The bucket's name says what goes wrong. */
function troubleOf(dialect: Dialect, bucket: string, attempt: number): Reply | "drop" | "silence" | null {
  switch (bucket) {
    case "fails-once":
      return attempt === 1 ? dialect.error(503, "SlowDown") : null;
    case "fails-always":
      return dialect.error(503, "SlowDown");
    case "drops-once":
      return attempt === 1 ? "drop" : null;
    case "drops-always":
      return "drop";
    case "silent-once":
      return attempt === 1 ? "silence" : null;
    case "silent":
      return "silence";
    case "denied":
      return dialect.error(403, "AccessDenied");
    case "expires-once":
      return attempt === 1 ? dialect.error(401, "TokenExpired") : null;
    case "huge-answer":
      return { status: 403, body: `<Error><Code>TooMuch</Code>${"x".repeat(4_000_000)}` };
    case "redirects":
      return { status: 307, headers: { location: "http://127.0.0.1:9/elsewhere" } };
    default:
      return null;
  }
}

/** The bucket of a GET whose path names no object. */
export function bucketOf({ method, path }: Received): string | undefined {
  return method === "GET" ? /^\/([^/]+)\/?$/.exec(path)?.[1] : undefined;
}

/** `/bucket/key` of a PUT. */
export function pathTarget({ method, path }: Received): { bucket: string; key: string } | undefined {
  const [, bucket, key] = /^\/([^/]+)\/(.+)$/.exec(path) ?? [];
  return method === "PUT" && bucket !== undefined && key !== undefined ? { bucket, key } : undefined;
}
