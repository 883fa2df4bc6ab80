/**
 * The street: source → pixels → bytes → storage → answer. The request handlers and the queue consumer walk the same
 * one; its edges are ports, so that nothing here knows HTTP, bindings or the clock.
 */
import type { Processing } from "./contract/request.ts";
import type { InputMetadata, OutputMetadata } from "./contract/response.ts";
import type { Encoded, Original } from "./files.ts";

/** Where the image of a job comes from. */
export type Source =
  | { readonly kind: "upload"; readonly original: Original }
  | { readonly kind: "fetch"; readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** One accepted piece of work: plain data, already valid. */
export interface Job {
  readonly id: string;
  readonly accountId: string;
  readonly source: Source;
  readonly processing: Processing;
  /** The request's Accept header, for `output.format: "auto"`. */
  readonly accept: string | undefined;
}

/** What the street needs from the outside. */
export interface Ports {
  /** @throws ApiError 413, 415 or 422 */
  readonly readOriginal: (source: Source) => Promise<Original>;
  /** Puts a result where its URL serves it for a while. */
  readonly keepTemporarily: (encoded: Encoded) => Promise<{ url: string }>;
}

export interface Result {
  readonly input: InputMetadata;
  readonly output: OutputMetadata;
  readonly encoded: Encoded;
}
