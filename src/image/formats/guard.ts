/** Native code refuses files that are damaged or unusual: what callers are told then. */
import { NativeError } from "../../../wasm/load.ts";
import type { ApiError } from "../../errors.ts";

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

function refused(error: unknown, refusal: (reason: NativeError) => ApiError): unknown {
  return error instanceof NativeError ? refusal(error) : error;
}
