/**
 * What callers of a service on this machine meet first. The simulator behind it was made for a developer's own requests: it
 * takes orders from headers that callers may send, serves its buckets under paths of its own, and answers what it cannot
 * read with its stack. So requests are read here, and sent on by connections of this process: with the headers of the
 * request alone, from the address that it came from, and to the Worker alone.
 *
 * A browser that cancels a request closes its connection, which the runtime takes for the end of what the client has to
 * say: it computes on for nobody, and whoever comes next waits. A reset it does understand, so that is what it gets. A
 * client that has no more to say and reads on ends its connection alike, and gets its answer: what is sent to a client that
 * is gone comes back as a reset.
 */
import {
  type ClientRequest,
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestPlain,
  type ServerResponse,
} from "node:http";
import { type AddressInfo, isIP, isIPv6, type Socket } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as passed } from "node:timers/promises";

import { MAX_DISCARD_MS } from "../limits.ts";
import { forwarded } from "./connection-headers.ts";

/** Where the runtime listens behind the front. */
export const BEHIND = "127.0.0.1";

/** What the platform takes of a request: 128 KB of headers, and as many as no client sends. */
const MAX_HEADER_BYTES = 128 * 1024;
const MAX_HEADERS = 250;
/** Clients that keep connections take them for open for about a minute. */
const IDLE_MS = 65_000;
/** What a client may take to say what it wants; without it a connection would stay for as long as it says nothing. */
const HEADERS_MS = 60_000;
/** For how long a client may take nothing of an answer that waits for it. */
const STALLED_MS = 60_000;
/** How long the reset of a client that is gone may take. */
const RESET_MS = 30;
/** Where the simulator answers in place of the Worker. */
const OF_SIMULATOR = ["/cdn-cgi/", "/__cf_local/"];
const METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"]);

export interface Place {
  readonly host: string;
  readonly port: number;
  /** Addresses of proxies, whose last word in `X-Forwarded-For` is the client's address; absent: none. */
  readonly proxies?: readonly string[];
}

export interface Front {
  readonly url: URL;
  readonly stop: () => Promise<void>;
}

/** For how long clients may keep a connection that they do nothing with. */
export interface Patience {
  readonly headersMs: number;
  readonly stalledMs: number;
}

const PATIENCE: Patience = { headersMs: HEADERS_MS, stalledMs: STALLED_MS };

/**
 * Listens at a place, and passes requests on to the port where the runtime listens.
 * @throws Error where nobody can listen there
 */
export async function listenBefore(
  runtimePort: number,
  { host, port, proxies = [] }: Place,
  { headersMs, stalledMs }: Patience = PATIENCE,
): Promise<Front> {
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    keepAliveTimeout: IDLE_MS,
    // The Worker says how long a body may take. Without a limit of that Node has none for headers, unless it is named.
    requestTimeout: 0,
    headersTimeout: headersMs,
    connectionsCheckingInterval: headersMs / 2,
  };
  const server = createServer(options, (request, response) => {
    // Whoever waits for an answer to begin is still, too, and stays. Without a reset the kernel would hold what was not taken.
    response.setTimeout(stalledMs, () => request.socket.writableLength > 0 && request.socket.resetAndDestroy());
    const target = targetOf(request);
    if (typeof target === "number") refuse(request, response, target);
    else passOn(request, response, { ...target, runtimePort, client: clientOf(request, proxies) });
  });
  server.maxHeadersCount = MAX_HEADERS + 1;
  // Else the end of what a client says would end its connection, whatever it still waits for.
  Object.assign(server, { httpAllowHalfOpen: true });
  server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 405 Method Not Allowed\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject);
  server.listen(port, host, listening.resolve);
  await listening.promise;
  const { port: taken } = server.address() as AddressInfo;
  const stop = async (): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  };
  return { url: new URL(`http://${nameOf(host)}:${taken}/`), stop };
}

/** A name by which this machine reaches what listens on a host. */
function nameOf(host: string): string {
  if (host === "0.0.0.0") return "127.0.0.1";
  if (host === "::") return "[::1]";
  return isIPv6(host) ? `[${host}]` : host;
}

/** Where a request goes within the service. */
interface Target {
  readonly host: string;
  readonly path: string;
}

/** Where a request is to go, or the status that refuses it. */
function targetOf({ method = "", url = "", headersDistinct, rawHeaders }: IncomingMessage): Target | number {
  if (rawHeaders.length / 2 > MAX_HEADERS) return 431;
  if (!METHODS.has(method)) return 405;
  const { host: hosts = [] } = headersDistinct;
  // In the form for proxies the host stands in the first line and wins (RFC 9112, section 3.2.2).
  const whole = /^https?:\/\/([^/?#]*)(.*)$/i.exec(url);
  const [, host = "", rest = ""] = whole ?? ["", hosts[0] ?? "", url];
  const named = whole && !rest.startsWith("/") ? `/${rest}` : rest;
  if (hosts.length !== 1 || !named.startsWith("/") || !isHost(hosts[0] ?? "") || !isHost(host)) return 400;
  const { host: authority, pathname, search } = new URL(`http://${host}${named}`);
  if (OF_SIMULATOR.some((path) => `${pathname}/`.startsWith(path))) return 404;
  return { host: authority, path: pathname + search };
}

function isHost(text: string): boolean {
  return text !== "" && !/[\s/\\?#@]/.test(text) && URL.canParse(`http://${text}/`);
}

/** The address that a request came from. */
function clientOf({ socket, headersDistinct }: IncomingMessage, proxies: readonly string[]): string {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/, "");
  if (!proxies.includes(address)) return address;
  const said = headersDistinct["x-forwarded-for"]?.at(-1)?.split(",").at(-1)?.trim() ?? "";
  return isIP(said) === 0 ? address : said;
}

interface Passage extends Target {
  readonly runtimePort: number;
  readonly client: string;
}

function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  { host, path, runtimePort, client }: Passage,
): void {
  const headers = { ...ownHeaders(request), host, "cf-connecting-ip": client };
  const call = requestPlain({ host: BEHIND, port: runtimePort, method: request.method, path, headers, agent: false });
  call.on("socket", (socket) => socket.setNoDelay(true));
  call.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? 502, forwarded(answer.headersDistinct));
    response.flushHeaders();
    answer.pipe(response, { end: false });
    answer.once("end", () => endOnceRead(request, response)).once("error", () => response.destroy());
  });
  call.on("error", () => response.headersSent || refuse(request, response, 502));
  const whenEnded = () => void askWhetherGone(request, response);
  request.socket.once("end", whenEnded);
  response.once("close", () => {
    request.socket.off("end", whenEnded);
    hangUp(call, response.writableFinished);
  });
  request.on("error", () => undefined).pipe(call);
  // The call closes behind its answer: what the client is still sending is read all the same.
  call.once("close", () => request.resume());
}

/** The headers of the request itself: none of its connection, none that only the simulator or the platform writes. */
function ownHeaders({ headersDistinct }: IncomingMessage): IncomingHttpHeaders {
  const own = Object.entries(forwarded(headersDistinct)).filter(
    ([name]) => !/^(?:mf-|cf-connecting-ip$|expect$)/.test(name),
  );
  // Without it the body of a GET would be sent on as a request of its own.
  const isChunked = headersDistinct["transfer-encoding"] !== undefined;
  return { ...Object.fromEntries(own), ...(isChunked && { "transfer-encoding": "chunked" }) };
}

/**
 * Finds out whether a client is gone whose connection has ended from its side. Until its answer begins it may be sent
 * interim answers, which clients pass over (RFC 9110, section 15.2): the first one brings the reset of a client that is gone,
 * the second one meets it. HTTP/1.0 knows none, so such a client is believed to read on; in the midst of an answer it is not.
 */
async function askWhetherGone({ httpVersion }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.headersSent) response.destroy();
  for (let answers = 0; answers < 2 && httpVersion === "1.1"; answers++) {
    if (response.headersSent || response.destroyed) return;
    response.writeContinue();
    await passed(RESET_MS);
  }
}

/** Ends the connection to the runtime: by a reset where nobody waits for the rest of an answer. */
function hangUp(call: ClientRequest, isAnswered: boolean): void {
  const socket = call.socket as Socket | null;
  if (socket && !socket.destroyed && !isAnswered) socket.resetAndDestroy();
  call.destroy();
}

/**
 * Ends an answer once its request was read: a client that sends first and listens later would find its connection broken
 * instead of the answer.
 */
function endOnceRead(request: IncomingMessage, response: ServerResponse): void {
  const end = (): void => void response.end();
  if (request.complete || request.destroyed) return end();
  const timer = setTimeout(() => request.destroy(), MAX_DISCARD_MS);
  request.once("end", end).once("close", () => {
    clearTimeout(timer);
    end();
  });
}

function refuse(request: IncomingMessage, response: ServerResponse, status: number): void {
  response.writeHead(status, { "content-length": 0 }).flushHeaders();
  request.on("error", () => undefined).resume();
  endOnceRead(request, response);
}
