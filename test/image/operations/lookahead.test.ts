/** Looking at a picture's first rows. */
import { describe, expect, it } from "vitest";

import { lookAhead } from "../../../src/image/operations/upscale/lookahead.ts";
import type { Rows } from "../../../src/image/pixels/rows.ts";
import { drain, noise, rowsOf } from "../../support/rows.ts";

const SIZE = { width: 9, height: 20, opaque: true };

/** Rows that count how often they are closed. */
function counted(): { rows: Rows; closed: () => number } {
  const rows = rowsOf(noise(9, 20), true, 3);
  let closed = 0;
  return {
    rows: {
      ...rows,
      close() {
        closed++;
        rows.close();
      },
    },
    closed: () => closed,
  };
}

describe("looking ahead", () => {
  it.each([1, 7, 20, 99])("shows the first rows, and gives all of them: %d", async (count) => {
    const pixels = noise(9, 20);
    let shown = 0;
    const rows = lookAhead(rowsOf(pixels, true, 3), count, SIZE, (first, all) => {
      shown = first.length / (9 * 4);
      expect(first).toEqual(pixels.data.subarray(0, first.length));
      return all;
    });
    expect((await drain(rows, 4)).data).toEqual(pixels.data);
    expect(shown).toBe(Math.min(count, 20));
  });

  it("looks only once somebody reads", () => {
    const { rows, closed } = counted();
    const ahead = lookAhead(rows, 5, SIZE, () => {
      throw new Error("nobody read");
    });
    ahead.close();
    ahead.close();
    expect(closed()).toBeGreaterThan(0);
  });

  it("closes what it reads from, also while it looks", async () => {
    const { rows, closed } = counted();
    const ahead = lookAhead(rows, 5, SIZE, () => {
      throw new Error("it was closed");
    });
    const read = ahead.read(4);
    ahead.close();
    await read.catch(() => undefined);
    expect(closed()).toBeGreaterThan(0);
  });

  it("closes what was made", async () => {
    const { rows, closed } = counted();
    const ahead = lookAhead(rows, 5, SIZE, (_, all) => all);
    await ahead.read(4);
    ahead.close();
    expect(closed()).toBe(1);
  });
});
