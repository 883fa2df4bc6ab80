/** Native work in pieces, done without a pause. */
import type { Pieces } from "../../wasm/pieces.ts";

export function atOnce<Result>(work: Pieces<Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
