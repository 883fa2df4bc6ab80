/** Refusals, for tests that expect one. */
import { expect } from "vitest";

import { ApiError } from "../../src/errors.ts";

/** What a promise that must be refused on purpose was refused with. */
export async function refusal(promise: Promise<unknown>): Promise<{ status: number; message: string }> {
  const error: unknown = await promise.then(
    () => "nothing was refused",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ApiError);
  const { status, message } = error as ApiError;
  return { status, message };
}
