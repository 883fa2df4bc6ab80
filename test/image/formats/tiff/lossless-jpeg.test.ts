/** JPEG without loss (ITU-T T.81, process 14) as the compression of TIFF files, as scanners and medicine use it. */
import { describe, expect, it } from "vitest";

import { tiff } from "../../../../src/image/formats/tiff.ts";
import { decodeFile } from "../../../support/files.ts";
import { refusal } from "../../../support/refusal.ts";
import { kind, made } from "../../../support/tiff-files.ts";

const WIDTH = 9;
const HEIGHT = 5;
const COMPRESSION = [259, 7] as const;
const LEVELS = Array.from({ length: WIDTH * HEIGHT }, (_, at) => (at * at * 7 + 13) % 256);

/** Bits of every code: there is one for each of the categories 0 to 8. */
const CODE_BITS = 4;
const CATEGORIES = [0, 1, 2, 3, 4, 5, 6, 7, 8];

/** The bits of a difference: the code of its category, and which it is of that. */
function coded(difference: number): string {
  const category = difference === 0 ? 0 : Math.floor(Math.log2(Math.abs(difference))) + 1;
  const place = difference < 0 ? difference + 2 ** category - 1 : difference;
  const code = category.toString(2).padStart(CODE_BITS, "0");
  return category === 0 ? code : code + place.toString(2).padStart(category, "0");
}

/** A gray picture of so many bits, each sample predicted from the one before it, the first of a row from the one above. */
function losslessJpeg(levels: readonly number[], precision: number): number[] {
  const predicted = (at: number) =>
    at === 0 ? 2 ** (precision - 1) : (levels[at % WIDTH === 0 ? at - WIDTH : at - 1] ?? 0);
  const bits = levels.map((level, at) => coded(level - predicted(at))).join("");
  const padded = bits.padEnd(Math.ceil(bits.length / 8) * 8, "1");
  const data = Array.from({ length: padded.length / 8 }, (_, at) =>
    Number.parseInt(padded.slice(at * 8, at * 8 + 8), 2),
  );
  const frame = [0xff, 0xc3, 0, 11, precision, 0, HEIGHT, 0, WIDTH, 1, 1, 0x11, 0];
  const counts = Array.from({ length: 16 }, (_, at) => (at + 1 === CODE_BITS ? CATEGORIES.length : 0));
  const table = [0xff, 0xc4, 0, 19 + CATEGORIES.length, 0, ...counts, ...CATEGORIES];
  const scan = [0xff, 0xda, 0, 8, 1, 1, 0, 1, 0, 0];
  return [
    0xff,
    0xd8,
    ...frame,
    ...table,
    ...scan,
    ...data.flatMap((byte) => (byte === 0xff ? [byte, 0] : [byte])),
    0xff,
    0xd9,
  ];
}

describe("JPEG without loss in a TIFF file", () => {
  it("is read, exactly", async () => {
    const file = made(WIDTH, HEIGHT, kind([8], 1, COMPRESSION), [losslessJpeg(LEVELS, 8)]);
    expect([...(await decodeFile(tiff, file)).data].filter((_, at) => at % 4 === 0)).toEqual(LEVELS);
  });

  it.each([12, 16])("is refused as a kind that is not supported where samples have %d bits", async (precision) => {
    const file = made(WIDTH, HEIGHT, kind([precision], 1, COMPRESSION), [losslessJpeg(LEVELS, precision)]);
    expect(await refusal(decodeFile(tiff, file))).toEqual({
      status: 422,
      message: "The TIFF file has samples of a kind that is not supported",
    });
  });

  it("is refused as damaged where it is cut short", async () => {
    const whole = losslessJpeg(LEVELS, 8);
    const file = made(WIDTH, HEIGHT, kind([8], 1, COMPRESSION), [[...whole.slice(0, whole.length - 20), 0xff, 0xd9]]);
    expect(await refusal(decodeFile(tiff, file))).toMatchObject({ message: "The TIFF file is damaged or cut short" });
  });
});
