/** Calls to the API of this service, with upload progress. */
import { readKey } from "./session.js";

/** @import { CallOptions, Called } from "./shapes.d.ts" */

/** An answer that is no success, in the API's own words. */
export class Refusal extends Error {
  /**
   * @param {number} status 0 when there was no answer
   * @param {string} message
   * @param {{ readonly id?: string, readonly param?: string }} [answer]
   * @param {string | null} [retryAfter] seconds, as the header has them
   */
  constructor(status, message, answer, retryAfter) {
    super(message);
    this.status = status;
    this.answer = answer;
    this.retryAfter = retryAfter ? Number(retryAfter) : undefined;
  }
}

/**
 * One request with the key of this tab.
 * @template [Answer=unknown]
 * @param {string} method
 * @param {string} path
 * @param {CallOptions} [options]
 * @returns {Promise<Called<Answer>>}
 * @throws {Refusal} with the API's message
 */
export function call(method, path, { body, binary = false, onUpload, signal } = {}) {
  /** @type {PromiseWithResolvers<Called<Answer>>} */
  const { promise, resolve, reject } = Promise.withResolvers();
  const request = new XMLHttpRequest();
  const startedAt = performance.now();
  request.open(method, path);
  request.responseType = binary ? "blob" : "text";
  request.setRequestHeader("Authorization", `Bearer ${readKey()}`);
  if (onUpload) request.upload.addEventListener("progress", (event) => onUpload(event.loaded / event.total));
  request.addEventListener("load", () => {
    const milliseconds = performance.now() - startedAt;
    const header = (/** @type {string} */ name) => request.getResponseHeader(name);
    const { status, response } = request;
    const answer = parsed(binary ? saidIn(request.getAllResponseHeaders()) : response);
    if (status < 400) resolve({ answer, bytes: response, header, milliseconds });
    else reject(new Refusal(status, answer?.message ?? `HTTP ${status}`, answer, header("Retry-After")));
  });
  request.addEventListener("error", () => reject(new Refusal(0, "The service cannot be reached.")));
  request.addEventListener("abort", () => reject(new Refusal(0, "Canceled.")));
  signal?.addEventListener("abort", () => request.abort());
  const json = body !== undefined && !(body instanceof FormData);
  if (json) request.setRequestHeader("Content-Type", "application/json");
  request.send(json ? JSON.stringify(body) : /** @type {FormData | undefined} */ (body));
  return promise;
}

/**
 * What is said of bytes, or of why there are none, in a header whose name has that of the service in it.
 * @param {string} headers as `getAllResponseHeaders` has them
 */
function saidIn(headers) {
  const [, json = ""] = /^x-[a-z0-9]+-metadata: (.*)$/im.exec(headers) ?? [];
  return json;
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
