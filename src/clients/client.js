/** The API as a typed client: every operation of the API document by its name, with errors as classes. */
import { errorOf } from "./errors.js";
import { OPERATIONS } from "./operations.js";

/** @import { Accepted, FetchBody, FileBody, Operations, SetSuccess, Success, UploadBody } from "./api-types.js" */

export * from "./errors.js";

/**
 * Where the service is, and how it is asked.
 * @typedef {object} ClientOptions
 * @property {string | URL} baseURL The address of the service, `https://darkroom.example.com`.
 * @property {string} key An API key; for the operations of administration the operator's token.
 * @property {number} [attempts] How often a request is sent while the service has no room; 3 unless it is said.
 * @property {number} [maxWait] Seconds that a call waits between two attempts at most; 60 unless it is said.
 * @property {typeof globalThis.fetch} [fetch] Sends requests; the one of the runtime unless it is said.
 */

/**
 * What a call says besides its body.
 * @typedef {object} CallOptions
 * @property {AbortSignal | undefined} [signal] Ends the call.
 * @property {string | undefined} [idempotencyKey] Makes the request safe to send again; a new UUID unless it is said.
 * @property {string | undefined} [name] The name of the file, which the result is called after.
 */

/**
 * Bytes with what is said of them, as `response.mode: binary` answers.
 * @typedef {object} Binary
 * @property {Success} metadata
 * @property {ReadableStream<Uint8Array> | null} body
 * @property {() => Promise<Blob>} blob
 * @property {() => Promise<ArrayBuffer>} arrayBuffer
 */

/**
 * The answer to a body: an accepted job with a webhook, several results, bytes, or one result.
 * @template Body
 * @typedef {Body extends { webhook: object } ? Accepted
 *   : Body extends { outputs: object } | { srcset: object } ? SetSuccess
 *   : Body extends { response: { mode: "binary" } } ? Binary : Success} AnswerTo
 */

/**
 * What an operation is called with.
 * @template {keyof Operations} Name
 * @typedef {Omit<Operations[Name], "answer">} Input
 */

/**
 * A client of the API.
 * @typedef {object} Client
 * @property {<const Body extends UploadBody = {}>(file: FileBody, body?: Body, options?: CallOptions) => Promise<AnswerTo<Body>>} upload
 *   Processes a file.
 * @property {<const Body extends Omit<FetchBody, "url"> = {}>(url: string | URL, body?: Body, options?: CallOptions) => Promise<AnswerTo<Body>>} fetch
 *   Processes the image at an address.
 * @property {<Name extends keyof Operations>(name: Name, input: Input<Name>, options?: CallOptions) => Promise<Operations[Name]["answer"]>} call
 *   Any operation that answers in JSON, by its name in the API document.
 */

/** Worth another attempt: the first one is still worked on, the window is full, or there is no room. */
const BUSY = new Set([409, 429, 503]);

/**
 * Makes a client. Requests that find no room are sent again as `Retry-After` says; a request that processes an image
 * carries an `Idempotency-Key`, so that none is done or paid twice.
 * @param {ClientOptions} options
 * @returns {Client}
 */
export function createClient({ baseURL, key, attempts = 3, maxWait = 60, fetch: send = globalThis.fetch }) {
  const base = String(baseURL).replace(/\/+$/, "");
  if (!/^https?:\/\//.test(base)) throw new TypeError("baseURL must be the address of the service");

  /**
   * @param {string} method
   * @param {string} path
   * @param {BodyInit | undefined} body
   * @param {Record<string, string>} headers
   * @param {CallOptions} options
   */
  const request = async (method, path, body, headers, { signal }) => {
    const init = {
      method,
      headers: { Authorization: `Bearer ${key}`, ...headers },
      ...(body !== undefined && { body }),
    };
    for (let tries = 1; ; tries += 1) {
      const answer = await send(base + path, { ...init, ...(signal && { signal }) }).catch(
        (/** @type {unknown} */ cause) => {
          signal?.throwIfAborted();
          throw errorOf("The service cannot be reached", { status: 0, cause });
        },
      );
      if (answer.ok) return answer;
      const failure = await failureOf(answer);
      const seconds = failure.retryAfter ?? 2 ** (tries - 1);
      if (!BUSY.has(answer.status) || tries >= attempts || seconds > maxWait) throw failure;
      await wait(seconds, signal);
    }
  };

  /**
   * @param {string} path
   * @param {BodyInit} body
   * @param {Record<string, string>} headers
   * @param {UploadBody} processing
   * @param {CallOptions} options
   */
  const processed = async (path, body, headers, processing, options) => {
    const { response: { mode, keep } = {} } = processing;
    const once = options.idempotencyKey ?? crypto.randomUUID();
    // A result of which nothing is kept cannot be repeated.
    const repeatable = keep === false ? {} : { "Idempotency-Key": once };
    const answer = await request("POST", path, body, { ...headers, ...repeatable }, options);
    return mode === "binary" ? binaryOf(answer) : answer.json();
  };

  const client = {
    /**
     * @param {FileBody} file
     * @param {UploadBody} [body]
     * @param {CallOptions} [options]
     */
    upload: (file, body = {}, options = {}) => processed("/1.0/upload", formOf(file, body, options), {}, body, options),
    /**
     * @param {string | URL} url
     * @param {Omit<FetchBody, "url">} [body]
     * @param {CallOptions} [options]
     */
    fetch: (url, body = {}, options = {}) =>
      processed("/1.0/fetch", JSON.stringify({ ...body, url: String(url) }), JSON_TYPE, body, options),
    /**
     * @param {string} name
     * @param {{ path?: Record<string, string>, query?: Record<string, string>, body?: object, file?: FileBody }} input
     * @param {CallOptions} [options]
     */
    call: async (name, { path = {}, query = {}, body, file }, options = {}) => {
      const [method, address] = (Object.hasOwn(OPERATIONS, name) && OPERATIONS[name]) || [];
      if (method === undefined || address === undefined) throw new TypeError(`${name} is no operation of the API`);
      const located = address.replace(/\{(\w+)\}/g, (_, member) => encodeURIComponent(path[member] ?? ""));
      const asked = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== undefined)).toString();
      const sent = file ? formOf(file, body ?? {}, options) : body && JSON.stringify(body);
      const headers = typeof sent === "string" ? JSON_TYPE : {};
      const answer = await request(method, asked === "" ? located : `${located}?${asked}`, sent, headers, options);
      return answer.json();
    },
  };
  return /** @type {Client} */ (/** @type {unknown} */ (client));
}

const JSON_TYPE = { "Content-Type": "application/json" };

/**
 * @param {FileBody} file
 * @param {object} body
 * @param {CallOptions} options
 */
function formOf(file, body, { name }) {
  const form = new FormData();
  const blob = file instanceof Blob ? file : new Blob([file]);
  const given = "name" in blob && typeof blob.name === "string" ? blob.name : "image";
  form.set("data", JSON.stringify(body));
  form.set("file", blob, name ?? given);
  return form;
}

/**
 * @param {Response} answer
 * @returns {Binary}
 */
function binaryOf(answer) {
  return {
    metadata: /** @type {Success} */ (metadataOf(answer.headers)),
    body: answer.body,
    blob: () => answer.blob(),
    arrayBuffer: () => answer.arrayBuffer(),
  };
}

/**
 * What is said of bytes is in a header, whose name begins as the operator wants.
 * @param {Headers} headers
 * @returns {Record<string, unknown> | undefined}
 */
function metadataOf(headers) {
  const [, value] = [...headers].find(([name]) => /^x-.+-metadata$/.test(name)) ?? [];
  return value === undefined ? undefined : parsed(value);
}

/** @param {Response} answer */
async function failureOf(answer) {
  const { status, headers } = answer;
  const told = metadataOf(headers) ?? parsed(await answer.text().catch(() => "")) ?? {};
  const { message = `The service answered ${status}`, error, param, id } = /** @type {Record<string, string>} */ (told);
  const after = headers.get("retry-after");
  const retryAfter = after !== null && /^\d+$/.test(after) ? { retryAfter: Number(after) } : {};
  return errorOf(message, {
    status,
    ...(error && { error }),
    ...(param && { param }),
    ...(id && { id }),
    ...retryAfter,
  });
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | undefined}
 */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // something between us and the service wrote it
  }
}

/**
 * @param {number} seconds
 * @param {AbortSignal | undefined} signal
 * @returns {Promise<void>}
 */
async function wait(seconds, signal) {
  signal?.throwIfAborted();
  await new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", end);
      if (signal?.aborted) reject(signal.reason);
      else resolve(undefined);
    };
    const timer = setTimeout(end, seconds * 1000);
    signal?.addEventListener("abort", end);
  });
}
