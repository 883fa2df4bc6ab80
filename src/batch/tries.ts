/**
 * Objects that are tried again, and when that is too often. One that its store never gives, while it gives others, would be
 * tried for ever, and slow down all that comes after it.
 */
import { MAX_OBJECT_CHANGES, MAX_OBJECT_REFUSALS, MAX_OBJECT_STARTS, MAX_REFUSED_OBJECTS } from "../limits/batch.ts";
import { type ObjectOutcome, type Trouble, troubleOf } from "./rules.ts";

export const INTERNAL: Trouble = troubleOf(500, "Internal error");

/** How often a store asked for time, or did not answer, when it was asked for an object, by the object's number. */
export type Refused = Readonly<Record<string, number>>;

/**
 * One more refusal of an object.
 * @param given objects that the store has given: of one that gives none nothing can be said
 * @returns why the object has failed, if it has
 */
export function refusedAgain(
  refused: Refused,
  n: number,
  given: number,
): { readonly refused: Refused; readonly trouble?: Trouble } {
  const times = (refused[n] ?? 0) + 1;
  if (given > 0 && times >= MAX_OBJECT_REFUSALS) {
    const message = "The store gives others, but asks for time, or does not answer, when it is asked for this object";
    return { refused, trouble: troubleOf(422, message) };
  }
  const isNoted = n in refused || Object.keys(refused).length < MAX_REFUSED_OBJECTS;
  return { refused: isNoted ? { ...refused, [n]: times } : refused };
}

/** What is left once an object is over. */
export function withoutRefused(refused: Refused, n: number): Refused {
  const { [n]: _, ...others } = refused;
  return others;
}

/** An object that was tried too often has failed. */
export function failureOf({ kind }: ObjectOutcome, starts: number, changes: number): Trouble | undefined {
  if (kind === "fault" && starts >= MAX_OBJECT_STARTS) return INTERNAL;
  if (kind !== "changed" || changes + 1 < MAX_OBJECT_CHANGES) return undefined;
  return troubleOf(422, "The object was replaced again and again while it was worked on");
}
