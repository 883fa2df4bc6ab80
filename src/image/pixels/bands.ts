/** A way through all rows of a picture, a few at a time, for whoever works on them as they come. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { Rows } from "./rows.ts";

interface Going {
  /** Rows that are read at a time, at most. */
  readonly rows: number;
  /** What is done with a pixel of a band, where its user does not declare that. */
  readonly nanoseconds?: number;
  readonly timeSlice: TimeSlice;
}

/**
 * All rows, `rows` at a time; closes them at the end, however it comes. A band is valid until the next is asked for.
 */
export async function* bandsOf(
  rows: Rows,
  { rows: most, nanoseconds = 0, timeSlice }: Going,
): AsyncGenerator<Uint8Array, void> {
  const bandMs = (rows.width * most * nanoseconds) / 1e6;
  try {
    for (;;) {
      await timeSlice.spend(bandMs);
      const band = await rows.read(most);
      if (!band) return;
      yield band;
    }
  } finally {
    rows.close();
  }
}
