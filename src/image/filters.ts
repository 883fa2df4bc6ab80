/** Every filter, one line each. They run in the order in which a request names them. */
import { blur } from "./filters/blur.ts";
import { duotone } from "./filters/duotone.ts";
import { halftone } from "./filters/halftone.ts";
import { monochrome } from "./filters/monochrome.ts";
import { pixellate } from "./filters/pixellate.ts";
import { replace } from "./filters/replace.ts";
import { sepia } from "./filters/sepia.ts";
import { tone } from "./filters/tone.ts";
import type { FilterRow } from "./steps/filter.ts";

export const FILTERS = {
  blur,
  sepia,
  pixellate,
  duotone,
  monochrome,
  halftone,
  replace,
  tone,
} as const satisfies Record<string, FilterRow>;

export type FilterName = keyof typeof FILTERS;
