/** What is to be made of a picture, and what comes of it. */
import type { JobLimits } from "../../scheduler/job-limits.ts";
import type { AnalysisName } from "../analyses.ts";
import type { Facts, FormatDefinition } from "../codec/format.ts";
import type { OperationName } from "../operations.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import type { Point } from "../pixels/gravity.ts";
import type { Stopwatch } from "../pixels/stopwatch.ts";
import type { Optimize, Output } from "../plan/output.ts";
import type { InputOptions } from "../plan/planned-picture.ts";
import type { VerifiedStore } from "../provenance/verify.ts";
import type { FormattedRendition } from "../search/rendition.ts";
import type { Trace } from "../search/trace.ts";
import type { Answers } from "./analyze.ts";
import type { ProvenanceMeans } from "./result-metadata.ts";

/** The operations of a request, in the words of their own files. */
export type OperationParams = { readonly [Name in OperationName]?: unknown };

/** What one result is to be. */
export interface ResultOrder {
  /** By which it is told from the others of its request. */
  readonly name: string;
  /** Done with the picture after the operations of the request. */
  readonly operations: OperationParams;
  readonly output: Output | undefined;
  readonly optimize: Optimize | undefined;
  /** What is to be said of the result. */
  readonly analyze: readonly AnalysisName[] | undefined;
}

/** What results begin with: the picture after the operations of the request. */
export interface Base extends Size {
  readonly opaque: boolean;
}

/** What is to be made of a picture. */
export interface Order<Entry extends ResultOrder> {
  /** Done once, for all results. */
  readonly operations: OperationParams;
  /** The results, at least one. */
  readonly entries: (base: Base) => readonly Entry[];
  /** What is to be said of what the results begin with. */
  readonly analyze: readonly AnalysisName[] | undefined;
  /** An error of one result, as the caller is to see it. */
  readonly refusalOf: (entry: Entry, error: unknown) => unknown;
  /** How the original is read; absent: what is damaged is refused. */
  readonly input?: InputOptions | undefined;
  /** The files of saved pictures that operations need, by id. */
  readonly overlays: ReadonlyMap<string, Uint8Array>;
  /** Media types that the client takes, for `output.format: "auto"`; absent: what the open web takes. */
  readonly accept: string | undefined;
  /** Told how long decoding and operations take. */
  readonly stopwatch?: Stopwatch | undefined;
  /** Told what searches do; absent: nobody asks. */
  readonly trace?: Trace | undefined;
  /** What the job may take, and when it ends; absent: anything. */
  readonly jobLimits?: JobLimits | undefined;
  /** How to judge where the original is from; absent: nobody asks. */
  readonly provenance?: ProvenanceMeans | undefined;
}

/** The file of a result, whose bytes are the caller's to release. */
export type ResultFile = FormattedRendition & { readonly facts: Facts };

/** A result. */
export interface Made {
  readonly output: ResultFile;
  readonly analysis: Answers | undefined;
}

/** What is known of an original. */
export interface Original {
  readonly format: FormatDefinition;
  readonly facts: Facts;
  /** In whole pixels of the upright picture, most prominent first; absent when none were sought. */
  readonly faces?: readonly Box[] | undefined;
  /** Where was looked, in shares of the upright picture; absent when nobody asked. */
  readonly focus?: Point | undefined;
  /** Its manifests; absent where it has none. */
  readonly provenance?: VerifiedStore | undefined;
}

/** What there is to say of the original once all results are made. */
export interface Rendered {
  readonly input: Original;
  /** Of what the results begin with. */
  readonly analysis: Answers | undefined;
}

/** What is to be made of a picture, where that is one result alone. */
export type SingleOrder = Omit<Order<ResultOrder>, "entries" | "analyze" | "refusalOf"> &
  Pick<ResultOrder, "output" | "optimize">;
