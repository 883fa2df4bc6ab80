/** Every operation, one line each, in the order in which they run, whatever the order of members in a request. */
import type { OperationRow } from "./operation.ts";
import { crop } from "./operations/crop.ts";
import { flip } from "./operations/flip.ts";
import { padding } from "./operations/padding.ts";
import { resize } from "./operations/resize.ts";
import { scale } from "./operations/scale.ts";

export const OPERATIONS = {
  flip,
  crop,
  resize,
  scale,
  padding,
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;
