/** Work whose invocation is ended in its midst, as the platform does it: none of its frames is left, no timer fires. */
import { isolateBudget } from "../../src/scheduler/budget.ts";
import type { Reservation } from "../../src/scheduler/held-bytes.ts";
import type { TimeSlice } from "../../src/scheduler/time-slice.ts";
import { reserve } from "./budget.ts";

/** Where work is left. */
export type Where = "stretch" | "pause";

/**
 * Begins work, with an original, and leaves it for ever once it has declared work for the `count`th time: in the midst
 * of the stretch, or in a pause that comes then.
 */
export async function abandon(
  work: (timeSlice: TimeSlice) => Promise<unknown>,
  { where = "stretch", count = 1, bytes = 40 << 20, original = 3 << 20 } = {} as {
    where?: Where;
    count?: number;
    bytes?: number;
    original?: number;
  },
): Promise<Reservation> {
  const { setInterval, setTimeout } = globalThis;
  // Timers end with their invocation.
  Object.assign(globalThis, { setInterval: () => 0 });
  try {
    const memory = reserve(isolateBudget, original);
    const left = Promise.withResolvers<void>();
    const never = new Promise<void>(() => undefined);
    let declared = 0;
    const over = isolateBudget.run({ bytes }, async (timeSlice) => {
      const spend = (ms: number) => {
        if (++declared < count) return timeSlice.spend(ms);
        left.resolve();
        if (where === "stretch") return never;
        void timeSlice.spend(1_000);
        return never;
      };
      await work({ spend, worked: () => timeSlice.worked() });
    });
    await Promise.race([left.promise, over]);
    return memory;
  } finally {
    Object.assign(globalThis, { setInterval, setTimeout });
  }
}
