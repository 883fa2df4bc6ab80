/** The entrance for agents: the Model Context Protocol over HTTP, without sessions and without streams. */
import { ApiError } from "../../errors.ts";
import type { AppContext } from "../context.ts";
import { callRoute } from "../inside.ts";
import { readJsonWith } from "../json-body.ts";
import { resultOf } from "../mcp/methods.ts";
import { isEnveloped, type Json, readMessage, RpcError, type RpcRequest } from "../mcp/protocol.ts";
import { type Routes, ToolFailure } from "../mcp/tool.ts";

/** POST /mcp */
export async function answerAgent(c: AppContext): Promise<Response> {
  refuseForeignOrigin(c);
  let request: RpcRequest | undefined;
  try {
    request = await readJsonWith(c, readMessage);
    const enveloped = isEnveloped(request, (name) => c.req.header(name));
    if (request.id === undefined) return c.body(null, 202);
    const result = await resultOf(request, enveloped, routesOf(c));
    return c.json({ jsonrpc: "2.0", id: request.id, result });
  } catch (error) {
    if (!(error instanceof RpcError)) throw error;
    const { code, message, data, status } = error;
    return c.json({ jsonrpc: "2.0", id: request?.id ?? null, error: { code, message, ...(data && { data }) } }, status);
  }
}

/**
 * A page of another site must not speak through the browser of somebody who has a key. A name that was bound to this
 * machine does not help it: without HTTPS, only names of this machine itself come this far.
 * @throws ApiError 403
 */
function refuseForeignOrigin(c: AppContext): void {
  const origin = c.req.header("origin");
  const { baseUrl } = c.var.settings;
  const own = [c.req.url, ...(baseUrl === undefined ? [] : [baseUrl])].map((url) => new URL(url).origin);
  if (origin !== undefined && !own.includes(origin)) {
    throw new ApiError(403, "Pages of other sites may not call this address");
  }
}

function routesOf(c: AppContext): Routes {
  return {
    call: async (path, body) => {
      const answer = await callRoute(c, path, body);
      const said = (await answer.json()) as Json;
      if (said["success"] === true) return said;
      throw new ToolFailure(typeof said["message"] === "string" ? said["message"] : `HTTP ${answer.status}`);
    },
    read: async (url, most) => {
      const answer = await callRoute(c, new URL(url).pathname);
      if (answer.ok && Number(answer.headers.get("content-length")) <= most) {
        const mimeType = answer.headers.get("content-type") ?? "application/octet-stream";
        return { bytes: new Uint8Array(await answer.arrayBuffer()), mimeType };
      }
      await answer.body?.cancel();
      return undefined;
    },
  };
}
