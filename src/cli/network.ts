/**
 * The network of a service on this machine that may read no private address. A deployment's platform never lets a name lead
 * to one; here the name is looked up once, and the connection goes to what was found.
 *
 * The runtime sends what the Worker calls to a proxy of this process. It stands apart from what the simulator serves itself,
 * which takes orders from names of headers that callers may give, and is not told when the Worker waits no longer.
 */
import { randomUUID } from "node:crypto";
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import {
  createServer,
  type IncomingMessage,
  request as requestPlain,
  type RequestOptions,
  type ServerResponse,
} from "node:http";
import { request as requestSecure } from "node:https";
import type { AddressInfo, LookupFunction } from "node:net";
import { pipeline } from "node:stream";

import { isListedHost, isPublicAddress } from "../address.ts";
import { forwarded } from "./connection-headers.ts";

/** What a gateway says that reaches nobody. */
const UNREACHED = 502;
/** By this header the runtime shows that it is the one that calls. */
const PASS = "x-darkroom-pass";
/** What the Worker says of a call besides, as JSON. */
const SAID = "x-darkroom-said";
/** The whole address is in the first line of a request: `HttpOptions.Style.proxy` of the runtime's configuration. */
const PROXY_STYLE = 1;
const MAX_HEADER_BYTES = 64 * 1024;

export interface Network {
  /** What the simulator is told, for the calls that the Worker makes. */
  readonly service: {
    readonly external: {
      readonly address: string;
      readonly http: {
        readonly style: number;
        readonly cfBlobHeader: string;
        readonly injectRequestHeaders: { readonly name: string; readonly value: string }[];
      };
    };
  };
  readonly stop: () => Promise<void>;
}

/**
 * Answers the calls that the Worker makes: 502 where nobody is reached, since the runtime knows no other way to be told.
 * @param hosts that may have private addresses all the same where a store is called: the operator's own
 */
export async function publicNetwork(hosts: readonly string[], lookup: LookupFunction = systemLookup): Promise<Network> {
  const pass = randomUUID();
  const server = createServer({ requireHostHeader: false, maxHeaderSize: MAX_HEADER_BYTES }, (request, response) => {
    if (request.headers[PASS] === pass) forward(request, response, hosts, lookup);
    else refuse(response);
  });
  // The Worker says how long it waits, and the runtime which connections it is done with.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 0;
  const listening = Promise.withResolvers<void>();
  server.once("error", listening.reject).listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const { port } = server.address() as AddressInfo;
  const http = { style: PROXY_STYLE, cfBlobHeader: SAID, injectRequestHeaders: [{ name: PASS, value: pass }] };
  const stop = async (): Promise<void> => {
    const closed = Promise.withResolvers<void>();
    server.close(() => closed.resolve());
    server.closeAllConnections();
    await closed.promise;
  };
  return { service: { external: { address: `127.0.0.1:${port}`, http } }, stop };
}

function forward(
  request: IncomingMessage,
  response: ServerResponse,
  hosts: readonly string[],
  lookup: LookupFunction,
): void {
  const url = URL.parse(request.url ?? "");
  const isFree = url !== null && isStoreCall(request) && isListedHost(url.hostname, hosts);
  if (url === null || (!isFree && !isPublicAddress(url.hostname))) return refuse(response);
  const { host: _, [PASS]: __, [SAID]: ___, ...headers } = forwarded(request.headersDistinct);
  const call = called(url, { method: request.method, headers, lookup: isFree ? lookup : guarded(lookup) });
  call.on("response", (answer) => {
    response.writeHead(answer.statusCode ?? UNREACHED, forwarded(answer.headersDistinct));
    pipeline(answer, response, () => undefined);
  });
  call.on("upgrade", (_answer, socket) => {
    socket.destroy();
    refuse(response);
  });
  call.on("error", () => (response.headersSent ? response.destroy() : refuse(response)));
  // The answer has left, or nobody waits for it any more.
  response.on("close", () => call.destroy());
  pipeline(request, call, () => undefined);
}

/** Whether the Worker calls a store: origins and webhooks are whatever a caller names. */
function isStoreCall({ headers }: IncomingMessage): boolean {
  return String(headers[SAID] ?? "").includes('"isStore":true');
}

function called(url: URL, options: RequestOptions) {
  const make = url.protocol === "https:" ? requestSecure : requestPlain;
  return make(url.href, { ...options, agent: false });
}

function refuse(response: ServerResponse): void {
  response.writeHead(UNREACHED, { "content-length": 0 }).end();
}

/** Looks a name up, and finds nothing where any of its addresses is private. */
function guarded(lookup: LookupFunction): LookupFunction {
  return (name, options, done) => {
    lookup(name, { ...options, all: true }, (error, found) => {
      const addresses = (error ? [] : found) as LookupAddress[];
      const [first] = addresses;
      const isPublic = addresses.every(({ address, family }) =>
        isPublicAddress(family === 6 ? `[${address}]` : address),
      );
      const trouble = error ?? (first && isPublic ? null : new Error("The name leads to a private address"));
      if (trouble || !first) done(trouble ?? new Error("The name leads nowhere"), "");
      else if (options.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}
