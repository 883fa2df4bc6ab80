/** Types of client.js, as tsc declares them. */
import type { Accepted, FetchBody, FileBody, Operations, SetSuccess, Success, UploadBody } from "./api-types.js";
export * from "./errors.js";
export type ClientOptions = {
    /**
     * The address of the service, `https://darkroom.example.com`.
     */
    baseURL: string | URL;
    /**
     * An API key; for the operations of administration the operator's token.
     */
    key: string;
    /**
     * How often a request is sent while the service has no room; 3 unless it is said.
     */
    attempts?: number;
    /**
     * Seconds that a call waits between two attempts at most; 60 unless it is said.
     */
    maxWait?: number;
    /**
     * Sends requests; the one of the runtime unless it is said.
     */
    fetch?: typeof globalThis.fetch;
};
export type CallOptions = {
    /**
     * Ends the call.
     */
    signal?: AbortSignal | undefined;
    /**
     * Makes the request safe to send again; a new UUID unless it is said.
     */
    idempotencyKey?: string | undefined;
    /**
     * The name of the file, which the result is called after.
     */
    name?: string | undefined;
};
export type Binary = {
    metadata: Success;
    body: ReadableStream<Uint8Array> | null;
    blob: () => Promise<Blob>;
    arrayBuffer: () => Promise<ArrayBuffer>;
};
export type AnswerTo<Body> = Body extends {
    webhook: object;
} ? Accepted : Body extends {
    outputs: object;
} | {
    srcset: object;
} ? SetSuccess : Body extends {
    response: {
        mode: "binary";
    };
} ? Binary : Success;
export type Input<Name extends keyof Operations> = Omit<Operations[Name], "answer">;
export type Client = {
    /**
     *   Processes a file.
     */
    upload: <const Body extends UploadBody = {}>(file: FileBody, body?: Body, options?: CallOptions) => Promise<AnswerTo<Body>>;
    /**
     *   Processes the image at an address.
     */
    fetch: <const Body extends Omit<FetchBody, "url"> = {}>(url: string | URL, body?: Body, options?: CallOptions) => Promise<AnswerTo<Body>>;
    /**
     *   Any operation that answers in JSON, by its name in the API document.
     */
    call: <Name extends keyof Operations>(name: Name, input: Input<Name>, options?: CallOptions) => Promise<Operations[Name]["answer"]>;
};
/**
 * Makes a client. Requests that find no room are sent again as `Retry-After` says; a request that processes an image
 * carries an `Idempotency-Key`, so that none is done or paid twice.
 * @param {ClientOptions} options
 * @returns {Client}
 */
export declare function createClient({ baseURL, key, attempts, maxWait, fetch: send }: ClientOptions): Client;
