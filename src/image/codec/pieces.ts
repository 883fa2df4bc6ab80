/** Native work in pieces, with pauses between them. */
import type { Pieces } from "../../../wasm/pieces.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";

/** Does the work; where it fails or nobody waits for it any more, what it holds is freed. */
export async function inPieces<Result>(work: Pieces<Result>, timeSlice: TimeSlice): Promise<Result> {
  try {
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      await timeSlice.spend(value);
    }
  } finally {
    // Ends work that was left in the middle; for work that is done it does nothing.
    work.return(undefined as never);
  }
}
