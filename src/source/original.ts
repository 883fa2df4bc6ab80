/** An original, wherever it came from. */
import type { HeldBytes } from "../scheduler/held-bytes.ts";

/** An image as it arrived. */
export interface Original extends HeldBytes {
  /** The file name it came with; empty when it had none. */
  readonly name: string;
}
