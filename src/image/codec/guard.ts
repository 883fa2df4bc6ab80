/** Native code works in pieces, and refuses files that are damaged, unusual, or take too long: what callers are told then. */
import { NativeError, OutOfFuel, OutOfMemory } from "../../../wasm/load.ts";
import type { Pieces } from "../../../wasm/pieces.ts";
import { ApiError } from "../../errors.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";

/** Runs native code; what it refuses is thrown as `refusal` makes of it. Every other error stays what it is. */
export function guarded<Result>(work: () => Result, refusal: (reason: NativeError) => ApiError): Result {
  try {
    return work();
  } catch (error) {
    throw refused(error, refusal);
  }
}

/** Runs work that pauses, and refuses what the native code could not read. */
export async function guardedAsync<Result>(
  work: () => Promise<Result>,
  refusal: (reason: NativeError) => ApiError,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw refused(error, refusal);
  }
}

/** What a file is refused with that takes more of the processor than its size could explain. */
function tooSlow(cause: OutOfFuel): ApiError {
  return new ApiError(422, "The image takes too long to be decoded or drawn", { cause });
}

/** What work is refused with that no format answers for, such as operations and color conversion. */
function tooLarge(cause: OutOfMemory): ApiError {
  return new ApiError(422, "The image is too large: there is not enough memory to work on it", { cause });
}

/** An error out of a whole job: where native code had no memory left, a refusal; every other error stays what it is. */
export function withoutMemory(error: unknown): unknown {
  return error instanceof OutOfMemory ? tooLarge(error) : error;
}

function refused(error: unknown, refusal: (reason: NativeError) => ApiError): unknown {
  if (error instanceof OutOfFuel) return tooSlow(error);
  return error instanceof NativeError ? refusal(error) : error;
}

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
