/** Waiting for what other work will bring about. */
import { vi } from "vitest";

/** Below what a test may take, so that it fails with what was expected rather than with its own time. */
const PATIENCE_MS = 100_000;

/** Resolves as soon as a check holds. How long that takes says nothing: the machine may be busy. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, PATIENCE_MS);
}
