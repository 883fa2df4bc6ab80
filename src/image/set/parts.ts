/** What a set consists of: results in groups that share a picture. */
import type { Price } from "../../../wasm/price.ts";
import type { FormatDefinition } from "../format.ts";
import type { Size } from "../geometry.ts";
import type { Metadata } from "../metadata.ts";
import type { Wish } from "../optimize/task.ts";
import type { Aim } from "../output.ts";
import type { Stored } from "../pipeline.ts";
import type { Plan } from "../plan.ts";
import type { Planned } from "../planning.ts";
import type { ResultGainMap } from "../result-gain-map.ts";
import type { Wanted } from "./shared.ts";

/** A result that is to be made of a group's picture. */
export interface Job<Entry> {
  readonly entry: Entry;
  /** The formats to try, of which the best is taken. */
  readonly formats: readonly FormatDefinition[];
  readonly aim: Aim;
  /** What its file has of the original's metadata. */
  readonly kept: Metadata;
  readonly gainMap: ResultGainMap | undefined;
  readonly encoding: Wish["encoding"];
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
  /** Of what it is made from. */
  readonly plan: Plan;
}

/** A group, and where its picture comes from. */
export interface Placed<Entry> {
  readonly group: Group<Entry>;
  /** Absent: from the file. */
  readonly onShared?: Plan;
  /** Kept for all jobs of the group. */
  readonly kept?: Kept;
}

export interface SetWork<Entry> {
  readonly shared: Kept | null;
  /** From the smallest to the largest: the next search starts where the one before ended. */
  readonly placed: readonly Placed<Entry>[];
  /** Something is made from the file once the shared picture is there. */
  readonly keepsFile: boolean;
  readonly price: Price;
}

/** What is known before the work begins. */
export interface Given<Entry> {
  /** In the color space of what is shared. */
  readonly stored: Stored;
  /** The picture after the request's own operations, in that space. */
  readonly base: Planned;
  readonly groups: readonly Group<Entry>[];
}

/** Pixels of a picture of this size. */
export function area({ width, height }: Size): number {
  return width * height;
}
