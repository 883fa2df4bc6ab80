/** What everybody may ask of the service: whether it runs, and its API document. */
import type { Health } from "../../contract/response.ts";
import { deployed } from "../../version.ts";
import type { AppContext } from "../context.ts";
import { apiDocument } from "../document.ts";

/** GET /health: cheap on purpose; a monitor must not be able to wear out the database. */
export function showHealth(c: AppContext): Response {
  return c.json<Health>({ success: true, code: 200, ...deployed(c.env) });
}

/** GET /openapi.json: readable from any page, so that tools in browsers can show it. */
export async function showDocument(c: AppContext): Promise<Response> {
  return c.json(await apiDocument(), 200, {
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "public, max-age=300",
  });
}
