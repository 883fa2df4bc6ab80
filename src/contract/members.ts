/** The members that say what to make of a picture: of a request, and of each of its outputs. */
import * as v from "valibot";

import { oneOf } from "../fields.ts";
import { ANALYSES, type AnalysisName } from "../image/analyses.ts";
import { OPERATIONS, type OperationName } from "../image/operations.ts";
import { Optimize, Output } from "../image/plan/output.ts";
import { Store } from "../storage/providers.ts";

type OperationEntries = {
  [Name in OperationName]: v.OptionalSchema<(typeof OPERATIONS)[Name]["params"], undefined>;
};

export const operationEntries = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, row]) => [name, v.optional(row.params)]),
) as unknown as OperationEntries;

/** Where the original is from: no analysis of pixels, and about the original whatever is done with it. */
export const PROVENANCE = "provenance";

const analysisNames = [...(Object.keys(ANALYSES) as [AnalysisName, ...AnalysisName[]]), PROVENANCE] as const;

/** The analyses of pixels among those that are asked for; undefined where there are none. */
export function pixelAnalyses(
  names: readonly (AnalysisName | typeof PROVENANCE)[] | undefined,
): readonly AnalysisName[] | undefined {
  const found = (names ?? []).filter((name) => name !== PROVENANCE);
  return found.length > 0 ? found : undefined;
}

/** What the answer is to say of the result. */
const Analyze = v.pipe(
  v.array(oneOf([...analysisNames]), `must be a list of ${analysisNames.join(", ")}`),
  v.minLength(1, "must name an analysis"),
  v.check((names) => new Set(names).size === names.length, "must name every analysis once"),
);

export const resultEntries = {
  ...operationEntries,
  analyze: v.optional(Analyze),
  output: v.optional(Output),
  optimize: v.optional(Optimize),
  store: v.optional(Store),
};
