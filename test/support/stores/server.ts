/**
 * An object store on a loopback port that judges what it receives: a dialect verifies the signature with an independent
 * signer, the front makes trouble when the bucket's name asks for it, and whatever was stored can be read at its URL.
 */
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
  /** Tokens, catalogs and other requests that are not for objects. */
  readonly other?: (request: Received) => Reply | undefined;
  readonly stored?: Reply;
}

export interface Content {
  readonly bytes: Buffer;
  readonly type: string;
  readonly resource?: unknown;
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
  if (request.method === "GET") return readable(dialect, request, objects);
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
  const { bytes, type, resource } = (await dialect.content?.(request)) ?? {
    bytes: request.body,
    type: request.headers["content-type"] ?? "",
  };
  objects.set(address, { bytes, type, recorded: { headers: request.headers, attempts: attempt, resource } });
  return dialect.stored ?? { status: 200 };
}

/** Anybody reads an object at its URL; who proves an identity has it judged. */
async function readable(dialect: Dialect, request: Received, objects: Map<string, Stored>): Promise<Reply> {
  const { authorization, "x-auth-token": token } = request.headers;
  if (authorization === undefined && token === undefined) return read(objects.get(request.path));
  const target = dialect.target({ ...request, method: "PUT" });
  const refusal = await dialect.verify(request);
  return refusal ?? read(target && objects.get(`/${target.bucket}/${target.key}`));
}

function read(object: Stored | undefined): Reply {
  if (!object) return { status: 404 };
  const recorded = Buffer.from(JSON.stringify(object.recorded)).toString("base64");
  return { status: 200, headers: { "content-type": object.type, "x-recorded": recorded }, body: object.bytes };
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

/** `/bucket/key` of a PUT. */
export function pathTarget({ method, path }: Received): { bucket: string; key: string } | undefined {
  const [, bucket, key] = /^\/([^/]+)\/(.+)$/.exec(path) ?? [];
  return method === "PUT" && bucket !== undefined && key !== undefined ? { bucket, key } : undefined;
}
