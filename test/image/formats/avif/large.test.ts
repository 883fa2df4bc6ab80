/** AVIF of photographs of 12 to 24 megapixels, at their size and at the widths that pages ask for. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { cellSettings } from "../../../../src/image/formats/avif/encode.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { Av1Cells, type CellSettings, cellsEstimate } from "../../../../wasm/av1-encode/encoder.ts";
import { av1EncodeHeap, BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { isForToday, IS_WHOLE } from "../../../support/exhaustive.ts";
import { numbersFrom } from "../../../support/generated.ts";
import { paint, pictureOf, type Pixels } from "../../../support/rows.ts";
import { shared } from "../../../support/share.ts";
import { walk } from "../../../support/walk.ts";

const SETTINGS = { lossless: false, quality: 80, progressive: true, effort: 0.5 };
/** Sides of cameras' photographs of 12 to 24 megapixels. */
const PHOTOGRAPHS = [
  [4_032, 3_024],
  [4_080, 3_072],
  [4_217, 2_817],
  [5_184, 3_456],
  [6_000, 4_000],
  [3_024, 4_032],
] as const;
const WIDTHS = [1_700, 2_100, 2_449, 2_560, 2_600, 2_700, 2_800, 2_900, 3_000, 3_840];

/** Signs with letters over what is busy: libaom takes it for a screen, and notes as much of it as of noise. */
function signs(width: number, height: number, { grain = 255, zoom = 1 } = {}): Pixels {
  const next = numbersFrom(7);
  return paint(width, height, (left, top) => {
    const [x, y] = [Math.floor(left / zoom), Math.floor(top / zoom)];
    const isSign = ((x >> 6) + (y >> 6)) % 4 !== 0;
    if (!isSign) {
      const level = (x + y) % 200;
      const own = () => Math.min(255, level + next() * grain);
      return [own(), own(), own(), 255];
    }
    const isInk = (x * 7 + y * 13) % 11 < 4 && ((x >> 2) ^ (y >> 3)) % 3 !== 0;
    return isInk ? [20, 20, 30, 255] : [240, (x >> 5) % 2 === 0 ? 240 : 180, 235, 255];
  });
}

const nameOf = ({ cell, speed, bits }: CellSettings) =>
  `${cell.width} x ${cell.height} at speed ${speed}, ${bits} bits`;

/** The shapes of cells that photographs are cut into at all these sizes, and how they are encoded: each once. */
function shapes(): readonly CellSettings[] {
  const found = new Map<string, CellSettings>();
  for (const [full, tall] of PHOTOGRAPHS) {
    for (const width of [full, ...WIDTHS.filter((one) => one < full)]) {
      const height = Math.round((tall * width) / full);
      for (const options of [{}, { probe: true }]) {
        const settings = cellSettings({ width, height, opaque: true }, { ...SETTINGS, ...options });
        const one = { ...settings, width: Math.min(width, 2 * settings.cell.width), height: settings.cell.height };
        found.set(nameOf(settings), one);
      }
    }
  }
  return [...found.values()];
}

const SHAPES = shapes().map((settings) => ({ name: nameOf(settings), settings }));

describe("cells of large photographs", () => {
  it.each(SHAPES.filter((_, at) => isForToday(at, 9)))(
    "are written in the memory that is declared for them, whatever they show: $name",
    async ({ settings }) => {
      const { width, height } = settings;
      const { data } = signs(width, height);
      const before = av1EncodeHeap(true).used;
      const cells = new Av1Cells(settings);
      try {
        for (let top = 0; top < height; top += BAND_ROWS) {
          const rows = Math.min(BAND_ROWS, height - top);
          cells.band().set(data.subarray(top * width * 4, (top + rows) * width * 4));
          cells.push(rows);
        }
        expect((await cells.encode(0, "color", UNPAUSED)).length).toBeGreaterThan(100);
      } finally {
        cells.close();
      }
      expect(av1EncodeHeap().peak - before).toBeLessThanOrEqual(cellsEstimate(settings).bytes);
    },
  );
});

describe.runIf(IS_WHOLE)("a photograph of 12 to 24 megapixels with signs", () => {
  const widths = shared<readonly [full: number, tall: number, width: number | undefined]>([
    [4_032, 3_024, 2_560],
    [4_032, 3_024, 2_600],
    [4_032, 3_024, 2_800],
    [4_032, 3_024, 3_840],
    [4_032, 3_024, undefined],
    [6_000, 4_000, undefined],
  ]);

  it.each(widths)("becomes AVIF, searched for and scored: %s x %s, %s wide", async (full, tall, width) => {
    const picture = pictureOf([signs(full, tall, { grain: 12, zoom: 4 })]);
    const file = await FORMATS.jpeg.write.encode(picture, { ...SETTINGS, quality: 80, progressive: false }, UNPAUSED);
    const { output, stored } = await walk(file, { output: { format: "avif" }, ...(width && { resize: { width } }) });
    expect(output).toMatchObject({ format: "AVIF", width: width ?? full });
    expect(output).not.toHaveProperty("searched");
    expect(output.score).toBeGreaterThanOrEqual(74);
    expect(avif.read.factsOf(stored)).toMatchObject({ width: output.width, height: output.height });
  });
});
