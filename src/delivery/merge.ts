/** Several requests as one. */
import type { DerivationBody } from "./asked.ts";

/** The members of both; those of `over` win, but `output` and `optimize` are joined member by member. */
export function merged(under: DerivationBody, over: DerivationBody): DerivationBody {
  const output = { ...under.output, ...over.output };
  const optimize = { ...under.optimize, ...over.optimize };
  return {
    ...under,
    ...over,
    ...((under.output ?? over.output) && { output }),
    ...((under.optimize ?? over.optimize) && { optimize }),
  };
}
