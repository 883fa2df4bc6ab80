/**
 * What a set consists of. A job is one result; a group has the jobs of the same pixels; a placed group says what these
 * pixels are made from; the work of a set is all of its groups in their order, and its estimate.
 */
import type { Estimate } from "../../../../wasm/estimate.ts";
import type { FormatDefinition } from "../../codec/format.ts";
import type { Metadata } from "../../metadata/blocks.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Plan } from "../../plan/plan.ts";
import type { Stored } from "../../plan/planned-picture.ts";
import type { EncodeOptions } from "../../search/task.ts";
import type { Planned } from "../plan-operations.ts";
import type { Signing } from "../provenance.ts";
import type { ResultGainMap } from "../result-gain-map.ts";
import type { Wanted } from "./shared.ts";

/** A result that is to be made of a group's picture. */
export interface Job<Entry> extends Pick<EncodeOptions, "objective" | "encoding"> {
  readonly entry: Entry;
  /** The formats to try, of which the best is taken. */
  readonly formats: readonly FormatDefinition[];
  /** What its file has of the original's metadata. */
  readonly kept: Metadata;
  readonly gainMap: ResultGainMap | undefined;
  /** What is stated of where it is from. */
  readonly signing?: Signing | undefined;
  /** What was done for it, as that states it. */
  readonly actions?: readonly string[];
  readonly keepsMetadata: boolean;
  readonly analyzes: boolean;
}

/** Results of the same pixels. */
export interface Group<Entry> {
  readonly stored: Stored;
  /** The picture after the request's own operations, in the color space of the group. */
  readonly base: Planned;
  readonly planned: Planned;
  readonly wanted: Wanted;
  readonly jobs: readonly Job<Entry>[];
}

/** A picture that is computed once and kept. */
export interface Kept extends Size {
  readonly opaque: boolean;
  /** The way from the file, or from the shared picture, to this one. */
  readonly plan: Plan;
}

/** A group, and what its picture is made from. */
export interface Placed<Entry> {
  readonly group: Group<Entry>;
  /** The way from the picture that the set shares to that of the group; absent where it is made from the file. */
  readonly onShared?: Plan;
  /** The picture of the group, computed once for all of its jobs; absent where each job computes it anew. */
  readonly kept?: Kept;
}

/** What is known before the work begins. */
export interface Given<Entry> {
  /** The original, in the color space of the picture that the set shares. */
  readonly stored: Stored;
  /** The picture after the request's own operations, in that space. */
  readonly base: Planned;
  readonly groups: readonly Group<Entry>[];
}

/** What is held while the groups of a set are made. */
export interface Holding<Entry> extends Given<Entry> {
  /** The version that several groups are made from; null where there is none. */
  readonly shared: Kept | null;
  /** The file is read again once the shared picture is there. */
  readonly keepsFile: boolean;
}

/** How a set is made. */
export interface SetWork<Entry> extends Holding<Entry> {
  /** From the smallest to the largest: the next search starts where the one before ended. */
  readonly placed: readonly Placed<Entry>[];
  /** What pictures usually take: where a file without loss is tried after all, that is charged as it grows. */
  readonly estimate: Estimate;
}
