/**
 * Pictures at a host of their own: a Worker without any of what makes them, whose cache answers first. What it has not is
 * asked of the Worker, by a binding, which is no further request of the bill.
 */
import { DIALECT_NAMES } from "./dialect-names.ts";

/** The paths of pictures by address. */
const PICTURES = new RegExp(`^/(?:${DIALECT_NAMES.join("|")})/.`);

/** Nothing of the door itself is to be kept. */
const UNKEPT = { "Cache-Control": "no-store" };

/**
 * The answer to a request that the cache does not have.
 * @param service the Worker; absent: the two are being deployed for the first time
 */
export async function atDoor(request: Request, service: Pick<Fetcher, "fetch"> | undefined): Promise<Response> {
  if (!PICTURES.test(new URL(request.url).pathname)) {
    return Response.json(
      { success: false, code: 404, message: "Only pictures are here" },
      { status: 404, headers: UNKEPT },
    );
  }
  if (service) return service.fetch(request);
  const message = "The service is being deployed";
  const headers = { ...UNKEPT, "Retry-After": "30" };
  return Response.json({ success: false, code: 503, message }, { status: 503, headers });
}
