/** A way through all rows of a picture, a few at a time, for whoever works on them as they come. */
import { type TimeSlice, UNPAUSED } from "../../scheduler/time-slice.ts";
import { firstFrame, type Picture } from "./picture.ts";
import { bytesPerPixel, type Rows } from "./rows.ts";

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

/** Rows of which a look at a picture sees so many at a time. */
const LOOK_ROWS = 32;

/** The same of the first frame of a picture that is looked at. */
export async function* bandsOfFirst(
  picture: Picture,
  timeSlice: TimeSlice,
  nanoseconds = 0,
): AsyncGenerator<Uint8Array, void> {
  yield* bandsOf(await firstFrame(picture, timeSlice), { rows: LOOK_ROWS, nanoseconds, timeSlice });
}

/** Whether nothing shows through a picture, which is read as far as that takes, and closed. */
export async function isOpaque(rows: Rows): Promise<boolean> {
  const pixel = bytesPerPixel(rows);
  const alphaBytes = pixel / 4;
  for await (const band of bandsOf(rows, { rows: LOOK_ROWS, timeSlice: UNPAUSED })) {
    let alpha = 255;
    for (let end = pixel; end <= band.length; end += pixel) {
      for (let at = end - alphaBytes; at < end; at++) alpha &= band[at]!;
    }
    if (alpha !== 255) return false;
  }
  return true;
}
