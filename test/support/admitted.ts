/** Work as the budget of the isolate admits it: what was declared of it, what it held and what it took. */
import type { Allowance } from "../../src/image/allowance.ts";
import type { Breath } from "../../src/image/breath.ts";
import { isolateBudget } from "../../src/image/budget.ts";
import { nativeHeap, trimNative } from "../../wasm/load.ts";
import type { Price } from "../../wasm/price.ts";

/** One piece of work, from its admission to its end. */
export interface Admitted {
  /** As it was declared beforehand. */
  readonly price: Price;
  /** Milliseconds that it declared while it went on. */
  readonly spentMs: number;
  /** The most that it held in native memory, as far as that was looked at: between any two declarations. */
  readonly nativeBytes: number;
  /** What the clock said that it took. */
  readonly takenMs: number;
}

interface Watching {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /** Looks at the native memory whenever work declares milliseconds; every piece of work begins with none that is idle. */
  readonly memory?: boolean;
}

/** Runs `work`, and tells of all that the budget of the isolate admitted meanwhile. */
export async function admittedDuring(
  work: () => Promise<unknown>,
  { now, memory = false }: Watching,
): Promise<Admitted[]> {
  const all: Admitted[] = [];
  const run = isolateBudget.run.bind(isolateBudget);
  isolateBudget.run = <Result>(
    price: Pick<Price, "bytes"> & Partial<Price>,
    piece: (breath: Breath) => Result | Promise<Result>,
    allowance?: Allowance,
  ) => {
    const watched = async (breath: Breath): Promise<Result> => {
      if (memory) trimNative(0);
      const before = nativeHeap().used;
      let [spentMs, nativeBytes] = [0, 0];
      const observe = () => {
        if (memory) nativeBytes = Math.max(nativeBytes, nativeHeap().peak - before);
      };
      const spend = (ms: number) => {
        spentMs += ms;
        observe();
        return breath.spend(ms);
      };
      const since = now();
      try {
        return await piece({ spend, worked: () => breath.worked() });
      } finally {
        const takenMs = now() - since;
        observe();
        all.push({ price: { ms: 0, ...price }, spentMs, nativeBytes, takenMs });
      }
    };
    return run(price, watched, allowance);
  };
  try {
    await work();
    return all;
  } finally {
    isolateBudget.run = run;
  }
}
