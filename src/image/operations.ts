/** Every operation, one line each, in the order in which they run, whatever the order of members in a request. */
import type { OperationRow } from "./operation.ts";
import { resize } from "./operations/resize.ts";

export const OPERATIONS = {
  resize,
} as const satisfies Record<string, OperationRow>;

export type OperationName = keyof typeof OPERATIONS;
