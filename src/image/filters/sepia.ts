/** Pictures in brown shades. */
import { decimal, record } from "../../fields.ts";
import { IDENTITY, mix, SEPIA } from "../steps/color-matrices.ts";
import { filter } from "../steps/filter.ts";
import { matrixStep } from "../steps/tone.ts";

export const sepia = filter({
  summary: "Brown shades of an old photograph; `value` per cent of them.",
  params: record({ value: decimal(0, 100) }),
  plan: ({ value }, { size }) => (value === 0 ? [] : [matrixStep(size, mix(IDENTITY, SEPIA, value / 100))]),
});
