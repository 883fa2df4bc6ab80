/** AVIF and HEIC pictures that are themselves of high dynamic range, and become others with a map. */
import { expect, it } from "vitest";

import { hybridLight, PEAK, perceptualLight } from "../../../../src/image/color/high-dynamic-range.ts";
import { toLinear } from "../../../../src/image/color/light.ts";
import { avif } from "../../../../src/image/formats/avif.ts";
import { jpeg } from "../../../../src/image/formats/jpeg.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { gray } from "../../../support/gain-maps.ts";
import { FORMATS, result, shown } from "../../../support/heif-gain-maps.ts";
import { rendered } from "../../../support/render.ts";
import { pictureOf, type Pixels } from "../../../support/rows.ts";

/** In 8 bits: what has 10 of high dynamic range stays that in AVIF, without a map. */
const SETTINGS = { lossless: false, quality: 90, progressive: false, effort: 0.5, subsample: "4:4:4" } as const;
const shallow = await avif.write.encode(pictureOf([gray(320, 240)], { opaque: true }), SETTINGS, UNPAUSED);

/** Gray whose samples mean something else. */
function coded(transfer: number, primaries = 9): Uint8Array {
  const file = shallow.slice();
  const at = new TextDecoder("latin1").decode(file).indexOf("nclx") + 4;
  const view = new DataView(file.buffer, file.byteOffset);
  view.setUint16(at, primaries);
  view.setUint16(at + 2, transfer);
  return file;
}

it.each([
  ["PQ", 16, perceptualLight, "jpeg"],
  ["HLG", 18, hybridLight, "jpeg"],
  ["PQ", 16, perceptualLight, "avif"],
  ["HLG", 18, hybridLight, "heic"],
] as const)(
  "pictures of high dynamic range get a map that brings their light back: %s, %i",
  async (_, transfer, lightOf, format) => {
    const { bytes } = await result(coded(transfer), { operations: { resize: { width: 160 } }, output: { format } });
    const map = { ...FORMATS, jpeg }[format].gainMap.read(bytes);
    if (!map) throw new Error("the file has no gain map");
    expect(map.terms).toMatchObject({ baseHeadroom: 0, inBaseColors: false });
    expect(map.terms.alternateHeadroom).toBeCloseTo(Math.log2(PEAK), 5);
    const [gains, base] = [await shown(map.file), await shown(bytes)];
    expect([gains.width, base.width]).toEqual([80, 160]);
    const before = gray(160, 120);
    const { max, baseOffset } = map.terms.channels[0];
    for (const [x, y] of [
      [20, 20],
      [60, 30],
      [80, 60],
      [140, 10],
      [130, 100],
    ] as const) {
      const level = (pixels: Pixels, scale: number) =>
        (pixels.data[4 * (Math.floor(y * scale) * pixels.width + Math.floor(x * scale))] ?? 0) / 255;
      const light = (toLinear(level(base, 1)) + baseOffset) * 2 ** (level(gains, 0.5) * max) - baseOffset;
      const wanted = Math.min(PEAK, lightOf(level(before, 1)));
      // A level of the map and one of the picture, and what both lose as they are encoded.
      expect(Math.abs(light - wanted)).toBeLessThan(0.01 + 0.1 * wanted);
    }
  },
);

it("pictures of high dynamic range are as others where their colors are not known, or nothing is to be kept", async () => {
  expect(avif.gainMap.read(coded(16, 2))).toBeUndefined();
  expect(jpeg.gainMap.read((await rendered(coded(16), { output: { format: "jpeg" } })).output.bytes)).toBeUndefined();
});
