/** What a batch writes beside a result, so that it, and every later one, knows what was done already. */
import { inOrder } from "../contract/in-order.ts";
import { sha256 } from "../storage/digest.ts";
import type { Batch } from "./rules.ts";

/** A mark begins with the number of its layout. */
const LAYOUT = "1";
const HASH_CHARACTERS = 16;

export interface Mark {
  /** What was done. */
  readonly recipe: string;
  /** Of which object. */
  readonly key: string;
  /** Of which version of it. */
  readonly version: string;
  /** By which batch. */
  readonly batch: string;
  /** Bytes of the original. */
  readonly before: number;
}

export function markText({ recipe, key, version, batch, before }: Mark): string {
  return [LAYOUT, recipe, key, version, batch, before].join(".");
}

/** Undefined: no mark, or one that nobody of us has written. */
export function readMark(text: string | undefined): Mark | undefined {
  const [layout, recipe, key, version, batch, before] = (text ?? "").split(".");
  if (layout !== LAYOUT || !recipe || !key || !version || !batch || !/^\d+$/.test(before ?? "")) return undefined;
  return { recipe, key, version, batch, before: Number(before) };
}

/** The same for the same request, whatever the order of its members. */
export function recipeOf({ rules }: Batch): Promise<string> {
  // What is said of a picture changes nothing in it.
  const { analyze: _, ...processing } = rules.processing;
  return shortHash(JSON.stringify(inOrder(processing)));
}

export async function shortHash(text: string): Promise<string> {
  return (await sha256(text)).toHex().slice(0, HASH_CHARACTERS);
}
