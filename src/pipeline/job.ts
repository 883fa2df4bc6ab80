/** A job of the pipeline, what it needs from the outside, and what comes of it. */
import type { Look } from "../account/alike.ts";
import type { Processing } from "../contract/request.ts";
import type { AnalysisAnswers, InputMetadata, OutputMetadata, SetSuccess } from "../contract/response.ts";
import type { Encoded } from "../files.ts";
import type { Stopwatch } from "../image/pixels/stopwatch.ts";
import type { ProvenanceMeans } from "../image/render/result-metadata.ts";
import type { Caller } from "../scheduler/caller.ts";
import type { HeldBytes } from "../scheduler/held-bytes.ts";
import type { JobLimits } from "../scheduler/job-limits.ts";
import type { Original } from "../source/original.ts";
import type { Store } from "../storage/providers.ts";

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

/** Where a result is found, and until when, where that ends. */
export type Place = Pick<OutputMetadata, "url" | "expires_at">;

/** What the pipeline needs from the outside. */
export interface Ports {
  /**
   * @param caller who waits for room
   * @throws ApiError 413, 415, 422 (also when the signal is aborted), or 503 when there is no room for its bytes in
   *   time
   */
  readonly readOriginal: (source: Source, signal?: AbortSignal, caller?: Caller) => Promise<Original>;
  /** @throws ApiError 422 when the account has no such watermark, 503 when there is no room for its bytes */
  readonly readWatermark: (accountId: string, id: string) => Promise<HeldBytes>;
  /** Puts a result where its URL serves it for a while. */
  readonly keepTemporarily: (encoded: Encoded) => Promise<Place>;
  /** Takes such a result away again. */
  readonly removeTemporary: (url: string) => Promise<void>;
  /**
   * The way into the caller's own store, found before the work is done.
   * @param isShared several results go there, and must not be one object
   * @throws ApiError 422 when the account lacks the connector or keyfile, or it names one object for several results,
   *   and later when the store refuses
   */
  readonly openStore: (
    accountId: string,
    store: Store,
    isShared?: boolean,
  ) => Promise<(encoded: Encoded) => Promise<{ url: string }>>;
  /** Told how long decoding, operations and encoding take. */
  readonly stopwatch?: Stopwatch;
  /** How to judge where originals are from, and who signs for an account; absent: nobody asks. */
  readonly provenanceFor?: ((accountId: string) => ProvenanceMeans) | undefined;
  /** Remembers what results look like, so that alike ones are found; absent: nobody asks. */
  readonly keepLooks?: ((accountId: string, looks: readonly Look[]) => Promise<void>) | undefined;
  /** What the job may take of the isolate's processor time; told how much it takes. Absent: anything. */
  readonly jobLimits?: JobLimits;
}

/** A result that was stored. */
export interface StoredResult {
  /** Its name in a set; empty for the result of a request for one. */
  readonly name: string;
  readonly output: OutputMetadata;
  /** What its `analyze` asked for. */
  readonly analysis?: AnalysisAnswers | undefined;
  /** Its file, of a request for one result: an answer may be made of it. */
  readonly encoded?: Encoded | undefined;
}

/** What came of a job. */
export interface Result extends Pick<SetSuccess, "srcset" | "html" | "skipped"> {
  readonly input: InputMetadata;
  /** In the order in which they were asked for; one for a request for one result. */
  readonly outputs: readonly StoredResult[];
  /** What a request for several asked for about the picture that they begin with. */
  readonly analysis?: AnalysisAnswers;
}
