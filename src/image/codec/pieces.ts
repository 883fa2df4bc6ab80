/** Native work in pieces, with pauses between them. */
import type { Pieces } from "../../../wasm/pieces.ts";
import type { Breath } from "../../scheduler/time-slice.ts";

/** Does the work; where it fails or nobody waits for it any more, what it holds is freed. */
export async function inPieces<Result>(work: Pieces<Result>, breath: Breath): Promise<Result> {
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      await breath.spend(value);
    }
  } finally {
    // Ends work that was left in the middle; for work that is done it does nothing.
    work.return(undefined as never);
  }
}
