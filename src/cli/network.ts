/**
 * The network of a service on this machine that may read no private address. A deployment's platform never lets a name lead
 * to one; here the name is looked up once, and the connection goes to what was found.
 */
import { lookup as systemLookup, type LookupAddress } from "node:dns";
import { type IncomingMessage, request as requestPlain, type RequestOptions } from "node:http";
import { request as requestSecure } from "node:https";
import type { LookupFunction } from "node:net";
import { Readable } from "node:stream";

import { type Request, Response } from "miniflare";

import { isPublicAddress } from "../address.ts";

/** What a gateway says that reaches nobody. */
const UNREACHED = 502;

/**
 * What answers the calls that the Worker makes: 502 where nobody is reached, since the runtime knows no other way to be told.
 * @param hosts that may have private addresses all the same: the operator's own stores
 */
export function publicNetwork(
  hosts: readonly string[],
  lookup: LookupFunction = systemLookup,
): (request: Request) => Promise<Response> {
  return async (request) => {
    const url = new URL(request.url);
    const isFree = hosts.includes(url.hostname);
    if (!isFree && !isPublicAddress(url.hostname)) return new Response(null, { status: UNREACHED });
    const options = {
      method: request.method,
      headers: Object.fromEntries(request.headers),
      lookup: isFree ? lookup : guarded(lookup),
    };
    const answer = await called(url, options, request).catch(() => undefined);
    if (!answer) return new Response(null, { status: UNREACHED });
    const hasBody = ![101, 204, 205, 304].includes(answer.statusCode ?? 0) && request.method !== "HEAD";
    if (!hasBody) answer.resume();
    const headers = Object.entries(answer.headersDistinct).flatMap(([name, values = []]) =>
      values.map((value): [string, string] => [name, value]),
    );
    return new Response(hasBody ? (Readable.toWeb(answer) as unknown as ReadableStream) : null, {
      status: answer.statusCode ?? UNREACHED,
      headers,
    });
  };
}

function called(url: URL, options: RequestOptions, { body, signal }: Request): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const make = url.protocol === "https:" ? requestSecure : requestPlain;
  const call = make(url.href, { ...options, agent: false, signal }, resolve).on("error", reject);
  if (body) Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]).pipe(call);
  else call.end();
  return promise;
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
