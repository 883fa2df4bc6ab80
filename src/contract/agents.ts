/** What agents send and get: messages of JSON-RPC, whose inner parts are the protocol's. */
import * as v from "valibot";

const version = v.literal("2.0");
const id = v.union([v.string(), v.number()]);

/** A request, or a notification, which has no id. */
export const RpcMessage = v.looseObject({
  jsonrpc: version,
  id: v.optional(id),
  method: v.string(),
  params: v.optional(v.unknown()),
});

export const RpcAnswer = v.looseObject({
  jsonrpc: version,
  id,
  result: v.optional(v.unknown()),
  error: v.optional(v.unknown()),
});
