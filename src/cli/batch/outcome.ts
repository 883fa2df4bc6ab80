/** What becomes of images, and whose each result is. */
import { basename } from "node:path";

import type { Looks } from "./client.ts";

/** What became of one image. */
export type Outcome =
  | {
      readonly kind: "written";
      readonly path: string;
      readonly target: string;
      readonly before: number;
      readonly after: number;
      /** From the first byte that was read to the last that was written, waits included. */
      readonly ms: number;
      /** What the service says of the result; absent where there are several. */
      readonly picture?: Looks;
      /** Several results, of which `target` is the element that shows them. */
      readonly files?: readonly (Looks & { readonly output: string; readonly bytes: number })[];
    }
  /** In place: it would not have saved enough, or is another format as a result. */
  | { readonly kind: "kept"; readonly path: string; readonly before: number; readonly after: number }
  | { readonly kind: "skipped"; readonly path: string; readonly target: string }
  | {
      readonly kind: "failed";
      readonly path: string;
      /** For people. */
      readonly reason: string;
      /** For programs; there is no status where no answer came. */
      readonly error: { readonly status: number | null; readonly message: string };
    };

/** Which result belongs to which original. */
export interface Claims {
  readonly byTarget: Map<string, string>;
  readonly byPath: Map<string, string>;
}

/**
 * The original that a target was written from in this run; undefined when it was not.
 * @throws Error when that is another one than `path`
 */
export function ownerOf({ byTarget }: Claims, target: string, path: string): string | undefined {
  const owner = byTarget.get(target);
  if (owner !== undefined && owner !== path) {
    throw new Error(`${basename(target)} was written already, from ${basename(owner)}`);
  }
  return owner;
}
