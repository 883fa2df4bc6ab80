/** One processing request, and what comes of it. */
import { call } from "./request.js";

/** @import { Called, CallOptions, SetSuccess, Source, Success } from "./shapes.d.ts" */

/**
 * One processing request with this body. Its answer is that of several results where the body asks for them.
 * @template {Success | SetSuccess} [Answer=Success]
 * @param {Source} source
 * @param {object | undefined} body
 * @param {CallOptions} options
 * @returns {Promise<Called<Answer>>}
 */
export function submit({ file, url }, body, options) {
  if (url !== undefined) return call("POST", "/1.0/fetch", { body: { url, ...body }, ...options });
  const parts = new FormData();
  parts.set("file", file, file.name);
  if (body) parts.set("data", JSON.stringify(body));
  return call("POST", "/1.0/upload", { body: parts, ...options });
}

/**
 * One processing request whose answer is the bytes themselves: a way less than asking for them at their address.
 * @param {Source} source
 * @param {object | undefined} body
 * @param {AbortSignal} signal
 * @returns {Promise<Called<Success> & { result: Blob }>}
 */
export async function submitForBytes(source, body, signal) {
  const asked = { ...body, response: { mode: "binary", keep: false } };
  /** @type {Called<Success>} */
  const called = await submit(source, asked, { binary: true, signal });
  return { ...called, result: called.bytes };
}

/**
 * A request that is told what its search tried, where that can be: not where its answer comes later, or came before.
 * @param {import("./shapes.d.ts").UploadBody | undefined} body
 */
export function explained(body) {
  if (body?.webhook || body?.reuse || body?.response?.mode === "binary") return body;
  return { ...body, response: { ...body?.response, explain: true } };
}

/**
 * The result; undefined when it was not stored, or went to another host, which this page does not call.
 * @param {string | undefined} address
 */
export async function resultOf(address) {
  if (address === undefined) return undefined;
  const url = new URL(address);
  if (url.origin !== location.origin) return undefined;
  const stored = await fetch(url);
  return stored.ok ? stored.blob() : undefined;
}

/**
 * The service's own part of the time, in milliseconds.
 * @param {Called<Success>["header"]} header
 */
export function totalOf(header) {
  const [, duration] = /\btotal;dur=([\d.]+)/.exec(header("Server-Timing") ?? "") ?? [];
  return duration === undefined ? undefined : Number(duration);
}
