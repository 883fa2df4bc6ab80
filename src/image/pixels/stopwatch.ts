/** How long the parts of a job compute, each without the parts that it reads from. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { type Rows, skipRows } from "./rows.ts";

export type Part = "decode" | "operations" | "encode";

/** Belongs to one job, whose work is done one piece after the other. */
export interface Stopwatch {
  /** Milliseconds for which the job had the thread, so far. */
  readonly spent: Readonly<Record<Part, number>>;
  /**
   * Counts the time of `work` for `part`, up to where it runs another part. What others do in its pauses does not
   * count.
   */
  readonly run: <Result>(part: Part, timeSlice: TimeSlice, work: () => Promise<Result>) => Promise<Result>;
}

export function startStopwatch(): Stopwatch {
  const spent = { decode: 0, operations: 0, encode: 0 };
  let running: Part | undefined;
  let since = 0;
  const change = (part: Part | undefined, timeSlice: TimeSlice) => {
    const at = timeSlice.worked();
    if (running) spent[running] += at - since;
    running = part;
    since = at;
  };
  return {
    spent,
    async run(part, timeSlice, work) {
      const outer = running;
      change(part, timeSlice);
      try {
        return await work();
      } finally {
        change(outer, timeSlice);
      }
    },
  };
}

/** Hands frames on, and counts all that is computed of them for `part`. */
export async function* clocked<Frame extends { readonly rows: Rows }>(
  source: AsyncIterable<Frame>,
  part: Part,
  timeSlice: TimeSlice,
  stopwatch: Stopwatch | undefined,
): AsyncIterable<Frame> {
  if (!stopwatch) return yield* source;
  const { run } = stopwatch;
  const frames = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await run(part, timeSlice, () => frames.next());
      if (next.done) return;
      const { rows } = next.value;
      const clockedRows: Rows = {
        ...rows,
        read: (max) => run(part, timeSlice, () => rows.read(max)),
        skip: (count) => run(part, timeSlice, () => skipRows(rows, count)),
        close: () => rows.close(),
      };
      yield { ...next.value, rows: clockedRows };
    }
  } finally {
    await frames.return?.();
  }
}
