/** Strips of TIFF files whose RowsPerStrip is not what it should be. */
import { describe, expect, it } from "vitest";

import { tiff } from "../../../../src/image/formats/tiff.ts";
import { decodeFile } from "../../../support/files.ts";
import { refusal } from "../../../support/refusal.ts";
import { kind, made, PLANAR } from "../../../support/tiff-files.ts";

const WIDTH = 4;
const HEIGHT = 5;
const ROWS_PER_STRIP = 278;
const COMPRESSION = 259;
const PACK_BITS = 32_773;

const RED = Array.from({ length: WIDTH * HEIGHT }, (_, at) => at * 3);
const GREEN = RED.map((level) => 255 - level);
const BLUE = RED.map((level) => (level * 7) % 256);
const COLORS = [RED, GREEN, BLUE];
const INTERLEAVED = RED.flatMap((level, at) => [level, GREEN[at] ?? 0, BLUE[at] ?? 0]);

/** A plane in strips of so many rows. */
function strips(levels: readonly number[], rows: number, samples = 1): number[][] {
  const bytes = rows * WIDTH * samples;
  return Array.from({ length: Math.ceil(levels.length / bytes) }, (_, at) =>
    levels.slice(at * bytes, (at + 1) * bytes),
  );
}

/** PackBits of bytes as they are, each row on its own. */
function packed(strip: readonly number[], samples = 1): number[] {
  return strips(strip, 1, samples).flatMap((row) => [row.length - 1, ...row]);
}

async function colorsOf(file: Uint8Array): Promise<number[]> {
  return [...(await decodeFile(tiff, file)).data].filter((_, at) => at % 4 !== 3);
}

describe("RowsPerStrip that is larger than the picture", () => {
  // Several strips at once, so that only their number says how many rows they have.
  it.each([
    ["colors of their own planes", [[PLANAR, 2]], COLORS.flatMap((plane) => strips(plane, 2))],
    ["one strip a plane", [[PLANAR, 2]], COLORS],
    ["pixels", [], strips(INTERLEAVED, 2, 3)],
    ["pixels, many of them", [], strips(INTERLEAVED, 1, 3)],
    ["pixels in one strip", [], [INTERLEAVED]],
    ["compressed pixels", [[COMPRESSION, PACK_BITS]], strips(INTERLEAVED, 2, 3).map((strip) => packed(strip, 3))],
    [
      "compressed planes",
      [
        [COMPRESSION, PACK_BITS],
        [PLANAR, 2],
      ],
      COLORS.flatMap((plane) => strips(plane, 2).map((strip) => packed(strip))),
    ],
  ] as const)("means as many rows as the strips have: %s", async (_name, tags, data) => {
    for (const rows of [HEIGHT + 1, 65_535]) {
      const file = made(WIDTH, HEIGHT, kind([8, 8, 8], 2, [ROWS_PER_STRIP, rows], ...tags), data);
      expect(await colorsOf(file)).toEqual(INTERLEAVED);
    }
  });

  it("is refused where the strips cannot be those of the picture", async () => {
    const file = made(
      WIDTH,
      HEIGHT,
      kind([8, 8, 8], 2, [ROWS_PER_STRIP, 65_535], [PLANAR, 2]),
      COLORS.flatMap((plane) => strips(plane, 2)).slice(1),
    );
    expect(await refusal(colorsOf(file))).toMatchObject({ status: 422 });
  });
});
