/** Every analysis, one line each. */
import { blurhash } from "./analyses/blurhash.ts";
import { color } from "./analyses/color.ts";
import { faces } from "./analyses/faces.ts";
import { focus } from "./analyses/focus.ts";
import { palette } from "./analyses/palette.ts";
import { phash } from "./analyses/phash.ts";
import { thumbhash } from "./analyses/thumbhash.ts";
import type { Analysis } from "./steps/analysis.ts";

export const ANALYSES = { thumbhash, blurhash, color, palette, phash, focus, faces } as const satisfies Record<
  string,
  Analysis
>;

export type AnalysisName = keyof typeof ANALYSES;
