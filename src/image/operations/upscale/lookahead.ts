/** Looking at a picture's first rows before anything is made of them. */
import { bytesPerPixel, pixelsOf, type Rows, rowsOf, rowsOver } from "../../pixels/rows.ts";

/**
 * The rows that `make` makes of a picture, once it has seen the pixels of the first ones: they are RGBA8, or RGBA16
 * where rows are 16-bit, tightly packed.
 * @param count how many rows are looked at and held, or all that there are
 */
export function lookAhead(
  rows: Rows,
  count: number,
  result: Pick<Rows, "width" | "height" | "opaque" | "sixteenBit">,
  make: (pixels: Uint8Array, rows: Rows) => Rows,
): Rows {
  let made: Rows | undefined;
  let closed = false;
  const look = async (): Promise<Rows> => {
    const first = await pixelsOf(firstOf(rows, Math.min(count, rows.height)));
    const all = after(first, rows);
    // Whoever closed in the meantime closed what was read from.
    return closed ? all : make(first, all);
  };
  return {
    ...result,
    async read(max) {
      made ??= await look();
      return made.read(max);
    },
    close() {
      closed = true;
      (made ?? rows).close();
    },
  };
}

/** The first rows of a picture, which stays open. */
function firstOf(rows: Rows, height: number): Rows {
  const stride = rows.width * bytesPerPixel(rows);
  let left = height;
  return {
    ...rows,
    height,
    async read() {
      if (left === 0) return null;
      const band = await rows.read(left);
      if (band) left -= band.length / stride;
      return band;
    },
    close() {},
  };
}

/** A picture of which the first rows were read already. */
function after(first: Uint8Array, rows: Rows): Rows {
  const { width, opaque, sixteenBit } = rows;
  const known = rowsOver(first, { width, height: first.length / (width * bytesPerPixel(rows)), opaque, sixteenBit });
  return rowsOf(rows, { read: async (max) => (await known.read(max)) ?? rows.read(max) });
}
