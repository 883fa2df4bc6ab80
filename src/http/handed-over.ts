/** Requests that another isolate hands over to an object of the pool, under the ids that they have there. */

/** The id of a request that is handed over; an object is called by nobody else, so there it is what an isolate said. */
export const HANDED_OVER = "X-Handed-Over";

/** Requests that came from another isolate, with their ids. */
const received = new WeakMap<Request, string>();

/** Notes that a request came from another isolate: to be called in an object of the pool, and nowhere else. */
export function receive(request: Request): Request {
  received.set(request, request.headers.get(HANDED_OVER) ?? crypto.randomUUID());
  return request;
}

/** The id of a request that came from another isolate. */
export function receivedId(request: Request): string | undefined {
  return received.get(request);
}
