/** What a filter is. One file in `filters/` and one line in `filters.ts` add one. */
import type * as v from "valibot";

import type { Schema, Stage, Step } from "./operation.ts";

/** What a filter may know when it plans: the picture as the filters before this one leave it. */
export type FilterStage = Pick<Stage, "size" | "opaque" | "colorOf">;

/** A row of the registry of filters, whatever its parameters are. */
export interface FilterRow {
  /** One sentence for the documentation. */
  readonly summary: string;
  /** Other names under which requests may send it. */
  readonly aliases?: readonly string[];
  readonly params: Schema;
  /** The work, in order; an empty list when nothing is to be done. */
  readonly plan: (params: never, stage: FilterStage) => readonly Step[];
}

interface Filter<Params extends Schema> extends FilterRow {
  readonly params: Params;
  readonly plan: (params: v.InferOutput<Params>, stage: FilterStage) => readonly Step[];
}

/** Types the literal of a registry row: `plan` receives what `params` describes. */
export function filter<const Params extends Schema>(definition: Filter<Params>): Filter<Params> {
  return definition;
}
