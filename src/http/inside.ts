/**
 * Calls of routes that are parts of another request, such as those of an agent's tool. They walk in by the same door, so
 * that the same limits and refusals hold, but are counted as the one request that they belong to.
 */
import type { AppContext } from "./context.ts";

/** Only code of ours can put a request here: nothing that a caller sends makes it a part. */
const parts = new WeakMap<Request, { readonly id: string }>();

/** The id of the request that this one is a part of; undefined for one that came from outside. */
export function wholeOf(request: Request): string | undefined {
  return parts.get(request)?.id;
}

/** What a part carries over from the request it belongs to: who is calling, and from where. */
const CARRIED = ["authorization", "cf-connecting-ip"];

/**
 * Calls a route of this service on behalf of the caller.
 * @param path with a query, if any
 * @param body sent as JSON; absent: GET
 */
export async function callRoute(c: AppContext, path: string, body?: object): Promise<Response> {
  const headers = new Headers();
  for (const name of CARRIED) {
    const value = c.req.header(name);
    if (value !== undefined) headers.set(name, value);
  }
  if (body) headers.set("content-type", "application/json");
  const request = new Request(new URL(path, c.req.url), {
    method: body ? "POST" : "GET",
    headers,
    signal: c.req.raw.signal,
    ...(body && { body: JSON.stringify(body) }),
  });
  parts.set(request, { id: c.var.id });
  return c.var.enter(request);
}
