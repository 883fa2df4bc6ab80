/** Memory that is taken from nobody. */
import type { Memory, Reservation } from "../../src/scheduler/held-bytes.ts";

export const uncounted: Reservation = { grow: () => undefined, shrink: () => undefined, release: () => undefined };

/** Room for everything; `held` is what was set aside and not given back. */
export function roomy(): Memory & { readonly held: () => number } {
  let held = 0;
  const take = async (bytes: number): Promise<Reservation> => {
    let mine = 0;
    const grow = (to: number) => {
      held += Math.max(0, to - mine);
      mine = Math.max(mine, to);
      return undefined;
    };
    const shrink = (to: number) => {
      held -= Math.max(0, mine - to);
      mine = Math.min(mine, to);
    };
    grow(bytes);
    return { grow, shrink, release: () => shrink(0) };
  };
  return { take, held: () => held };
}
