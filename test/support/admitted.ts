/** Work as the budget of the isolate admits it: what was declared of it, what it held and what it took. */
import { isolateBudget } from "../../src/scheduler/budget.ts";
import type { JobLimits } from "../../src/scheduler/job-limits.ts";
import type { TimeSlice } from "../../src/scheduler/time-slice.ts";
import type { Estimate } from "../../wasm/estimate.ts";
import { nativeHeap, nativeMemoryBytes, trimNative } from "../../wasm/load.ts";

/** One piece of work, from its admission to its end. */
export interface Admitted {
  /** As it was declared beforehand. */
  readonly estimate: Estimate;
  /** Milliseconds that it declared while it went on. */
  readonly spentMs: number;
  /** The most that it held, as far as that was looked at: between any two declarations. */
  readonly heldBytes: number;
  /**
   * What it took of the isolate at most: the memories of native modules, which do not shrink once something in them was
   * freed, and buffers.
   */
  readonly takenBytes: number;
  /** What the clock said that it took. */
  readonly takenMs: number;
}

interface Watching {
  /** Milliseconds, of any beginning. */
  readonly now: () => number;
  /**
   * Looks at the native memory whenever work declares milliseconds; every piece of work begins with none that is idle.
   */
  readonly memory?: boolean;
  /** Called with each piece of work at its end. */
  readonly onPiece?: (piece: Admitted) => void;
  /** Bytes outside of native memory, looked at besides: at least those that are there, and those alone where `sure`. */
  readonly buffers?: (sure: boolean) => number;
}

/** Runs `work`, and tells of all that the budget of the isolate admitted meanwhile. */
export async function admittedDuring(work: () => Promise<unknown>, watching: Watching): Promise<Admitted[]> {
  const all: Admitted[] = [];
  const { now, memory = false } = watching;
  const runIn = isolateBudget.runIn.bind(isolateBudget);
  isolateBudget.runIn = <Result>(
    rooms: Parameters<typeof isolateBudget.runIn>[0],
    piece: (timeSlice: TimeSlice, room: number) => Result | Promise<Result>,
    jobLimits?: JobLimits,
  ) => {
    const watched = async (timeSlice: TimeSlice, room: number): Promise<Result> => {
      const gauge = memory ? startGauge(watching) : undefined;
      let spentMs = 0;
      const spend = (ms: number) => {
        spentMs += ms;
        gauge?.look();
        return timeSlice.spend(ms);
      };
      const since = now();
      try {
        const result = await piece({ spend, worked: () => timeSlice.worked() }, room);
        gauge?.look();
        return result;
      } finally {
        const takenMs = now() - since;
        const piece = {
          estimate: { bytes: 0, ms: 0, ...rooms[room] },
          spentMs,
          heldBytes: gauge?.mostBytes() ?? 0,
          takenBytes: gauge?.takenBytes() ?? 0,
          takenMs,
        };
        all.push(piece);
        watching.onPiece?.(piece);
      }
    };
    return runIn(rooms, watched, jobLimits);
  };
  try {
    await work();
    return all;
  } finally {
    isolateBudget.runIn = runIn;
  }
}

interface Gauge {
  readonly look: () => void;
  readonly mostBytes: () => number;
  readonly takenBytes: () => number;
}

function startGauge({ buffers = () => 0 }: Watching): Gauge {
  trimNative(0);
  const before = nativeHeap().used;
  const buffersBefore = buffers(true);
  const memoryBefore = nativeMemoryBytes();
  let most = 0;
  let taken = 0;
  return {
    look() {
      const native = nativeHeap().peak - before;
      const memory = nativeMemoryBytes() - memoryBefore;
      // What is not needed any more may still be there: only where it would matter is it told apart.
      const possible = buffers(false) - buffersBefore;
      if (native + possible <= most && memory + possible <= taken) return;
      const held = Math.max(0, buffers(true) - buffersBefore);
      most = Math.max(most, native + held);
      taken = Math.max(taken, memory + held);
    },
    mostBytes: () => most,
    takenBytes: () => taken,
  };
}
