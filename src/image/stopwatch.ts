/** How long the parts of a job compute, each without the parts that it reads from. */
import { type Rows, skipRows } from "./rows.ts";

export type Part = "decode" | "operations";

export interface Stopwatch {
  /** Milliseconds so far. */
  readonly spent: Readonly<Record<Part, number>>;
  /** Counts the time of `work` for `part`, up to where it runs another part. */
  readonly run: <Result>(part: Part, work: () => Result) => Result;
}

/** @param now milliseconds, of any beginning */
export function startStopwatch(now: () => number): Stopwatch {
  const spent = { decode: 0, operations: 0 };
  let running: Part | undefined;
  let since = 0;
  const change = (part: Part | undefined) => {
    const at = now();
    if (running) spent[running] += at - since;
    running = part;
    since = at;
  };
  return {
    spent,
    run(part, work) {
      const outer = running;
      change(part);
      try {
        return work();
      } finally {
        change(outer);
      }
    },
  };
}

/** The same frames, of which all that is computed counts for `part`. */
export function clocked<Frame extends { readonly rows: Rows }>(
  open: () => Iterable<Frame>,
  part: Part,
  stopwatch: Stopwatch | undefined,
): Iterable<Frame> {
  return stopwatch ? clockedFrames(open, part, stopwatch) : open();
}

function* clockedFrames<Frame extends { readonly rows: Rows }>(
  open: () => Iterable<Frame>,
  part: Part,
  { run }: Stopwatch,
): Iterable<Frame> {
  const frames = run(part, () => open()[Symbol.iterator]());
  try {
    for (;;) {
      const next = run(part, () => frames.next());
      if (next.done) return;
      yield { ...next.value, rows: clockedRows(next.value.rows, part, run) };
    }
  } finally {
    frames.return?.();
  }
}

function clockedRows(rows: Rows, part: Part, run: Stopwatch["run"]): Rows {
  return {
    ...rows,
    read: (max) => run(part, () => rows.read(max)),
    skip: (count) => run(part, () => skipRows(rows, count)),
    close: () => rows.close(),
  };
}
