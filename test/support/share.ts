/** Which crossings of long tables a run takes: all of them, or one of so many, as whoever judges a change asks. */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    readonly share: number;
  }
}

export const SHARE = inject("share");

/** Whether this crossing is taken; the last of each round, since the tests of every day take the first. */
export const isShared = (turn: number): boolean => turn % SHARE === SHARE - 1;

/** The crossings that are taken, of a short table its last. */
export function shared<T>(all: readonly T[]): readonly T[] {
  const taken = all.filter((_, at) => isShared(at));
  return taken.length > 0 ? taken : all.slice(-1);
}

/** So many random cases as are taken of a number of them, and not fewer than every day. */
export const sharedCount = (count: number, least: number): number => Math.max(least, Math.ceil(count / SHARE));
