/** The results that this host keeps for a while. */
import { serveTemporary } from "../../storage/volatile.ts";
import type { AppContext } from "../context.ts";

/** GET and HEAD /temp/<uuid>/<name> */
export function showTemporary(c: AppContext): Promise<Response> {
  return serveTemporary(c.req.raw, c.env.BUCKET, Date.now());
}
