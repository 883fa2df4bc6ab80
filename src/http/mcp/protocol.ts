/**
 * The Model Context Protocol as far as a service without sessions speaks it: one JSON-RPC message in a POST, one in its
 * answer. Revisions from 2026-07-28 on say in every request which revision it is written in (its envelope); those before
 * begin with `initialize`, of which nothing is kept here.
 */
import { isDeeperThan, isObject } from "../../json.ts";
import { MAX_JSON_DEPTH } from "../../limits.ts";

/** Revisions whose requests carry an envelope, newest first. */
export const ENVELOPED = ["2026-07-28"] as const;
/** Revisions that begin with a handshake, newest first; older ones allow several messages in one body. */
const SHAKEN = ["2025-11-25", "2025-06-18"] as const;

/** Error codes of JSON-RPC and of the protocol. */
export const CODES = {
  parse: -32_700,
  request: -32_600,
  method: -32_601,
  params: -32_602,
  mismatch: -32_020,
  version: -32_022,
} as const;

const META = "io.modelcontextprotocol/";

export type Json = Readonly<Record<string, unknown>>;

/** What is wrong with a message, as its sender is told. */
export class RpcError extends Error {
  readonly code: number;
  /** Of HTTP: errors that the protocol finds in the message itself are refusals there as well. */
  readonly status: 200 | 400 | 404;
  readonly data: Json | undefined;

  constructor(code: number, message: string, { status = 400, data }: { status?: 200 | 400 | 404; data?: Json } = {}) {
    super(message);
    this.code = code;
    this.status = status;
    this.data = data;
  }
}

export interface RpcRequest {
  /** Undefined for what wants no answer: a notification, or an answer to a question that nobody asked. */
  readonly id: string | number | undefined;
  readonly method: string;
  readonly params: Json;
}

/**
 * The message in a body.
 * @throws RpcError when it is none, or more than one
 */
export function readMessage(bytes: Uint8Array): RpcRequest {
  const message = parsed(bytes);
  if (Array.isArray(message))
    throw new RpcError(CODES.request, "Send one message at a time: batches are not supported");
  if (!isObject(message) || message["jsonrpc"] !== "2.0") {
    throw new RpcError(CODES.request, "The body must be a message of JSON-RPC 2.0");
  }
  const { id, method, params = {} } = message;
  if (method === undefined && ("result" in message || "error" in message)) {
    return { id: undefined, method: "", params: {} };
  }
  if (typeof method !== "string") throw new RpcError(CODES.request, "method must be a text");
  // A number beyond all bounds would be answered as none.
  if (id !== undefined && typeof id !== "string" && !Number.isFinite(id)) {
    throw new RpcError(CODES.request, "id must be a text or a number");
  }
  if (!isObject(params)) throw new RpcError(CODES.params, "params must be an object");
  return { id: id as RpcRequest["id"], method, params };
}

function parsed(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes));
  } catch {
    throw new RpcError(CODES.parse, "The body is not valid JSON");
  }
  // Two levels around the arguments of a tool.
  if (isDeeperThan(value, MAX_JSON_DEPTH + 2)) throw new RpcError(CODES.request, "The body is nested too deeply");
  return value;
}

/**
 * Whether a request is written in a revision with an envelope, once its headers agree with it.
 * @param header the value of a header of the request
 * @throws RpcError when they do not, or the revision is not spoken here
 */
export function isEnveloped({ method, params }: RpcRequest, header: (name: string) => string | undefined): boolean {
  const named = header("mcp-protocol-version")?.trim();
  const meta = isObject(params["_meta"]) ? params["_meta"] : {};
  const claimed = meta[`${META}protocolVersion`];
  if (claimed === undefined) {
    refuseUnclaimed(named);
    return false;
  }
  if (typeof claimed !== "string" || !isObject(meta[`${META}clientCapabilities`])) {
    throw new RpcError(CODES.params, `_meta must have ${META}protocolVersion and ${META}clientCapabilities`);
  }
  if (!isOneOf(ENVELOPED, claimed)) throw unsupported(ENVELOPED, claimed);
  const name = method === "tools/call" ? params["name"] : undefined;
  const mirrored = { "MCP-Protocol-Version": claimed, "Mcp-Method": method, "Mcp-Name": name };
  for (const [header_, value] of Object.entries(mirrored)) {
    if (typeof value === "string" && header(header_)?.trim() !== value) {
      throw new RpcError(CODES.mismatch, `The header ${header_} must say what the body says`);
    }
  }
  return true;
}

/** @throws RpcError when the header names a revision with envelopes, or one that is not spoken here */
function refuseUnclaimed(named: string | undefined): void {
  if (named === undefined || isOneOf(SHAKEN, named)) return;
  if (isOneOf(ENVELOPED, named)) throw new RpcError(CODES.params, `_meta must have ${META}protocolVersion`);
  throw unsupported([...ENVELOPED, ...SHAKEN], named);
}

function unsupported(supported: readonly string[], version: string): RpcError {
  // What looks like a revision can be nothing else.
  const requested = /^\d{4}-\d{2}-\d{2}$/.test(version) ? version : "unknown";
  return new RpcError(CODES.version, "Unsupported protocol version", { data: { supported, requested } });
}

/** The revision that a handshake agrees on: the one that was asked for, or the newest that has handshakes. */
export function agreedVersion({ protocolVersion }: Json): string {
  if (typeof protocolVersion !== "string") {
    throw new RpcError(CODES.params, "params.protocolVersion must be a text", { status: 200 });
  }
  return isOneOf(SHAKEN, protocolVersion) ? protocolVersion : SHAKEN[0];
}

function isOneOf(versions: readonly string[], version: string): boolean {
  return versions.includes(version);
}

/** A result as revisions with envelopes want it: complete, and with the name of who made it. */
export function inEnvelope(result: Json, server: Json): Json {
  return { resultType: "complete", ...result, _meta: { [`${META}serverInfo`]: server } };
}
