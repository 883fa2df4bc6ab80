/** Which crossings of long tables a run takes: all of them, or one of so many, as whoever judges a change asks. */
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    readonly share: number;
  }
}

const SHARE = inject("share");

/** Whether this crossing is taken; the last of each round, since the tests of every day take the first. */
export const isShared = (turn: number): boolean => turn % SHARE === SHARE - 1;

/** The crossings that are taken. */
export const shared = <T>(all: readonly T[]): readonly T[] => all.filter((_, at) => isShared(at));

/** So many random cases as are taken of a number of them. */
export const sharedCount = (count: number): number => Math.ceil(count / SHARE);
