/** Every operation, one line each, in the order in which they run, whatever the order of members in a request. */
import { adjust } from "./operations/adjust.ts";
import { auto } from "./operations/auto.ts";
import { background } from "./operations/background.ts";
import { border } from "./operations/border.ts";
import { crop } from "./operations/crop.ts";
import { filter } from "./operations/filter.ts";
import { flip } from "./operations/flip.ts";
import { mask } from "./operations/mask.ts";
import { padding } from "./operations/padding.ts";
import { redact } from "./operations/redact.ts";
import { resize } from "./operations/resize.ts";
import { rotate } from "./operations/rotate.ts";
import { scale } from "./operations/scale.ts";
import { text } from "./operations/text.ts";
import { trim } from "./operations/trim.ts";
import { upscale } from "./operations/upscale.ts";
import { watermark } from "./operations/watermark.ts";
import type { OperationRow } from "./steps/operation.ts";

export const OPERATIONS = {
  trim,
  flip,
  rotate,
  upscale,
  crop,
  resize,
  scale,
  auto,
  adjust,
  filter,
  redact,
  watermark,
  text,
  mask,
  border,
  padding,
  background,
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;
