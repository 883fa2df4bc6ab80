/** Pictures within drawings. */
import { describe, expect, it } from "vitest";

import { FORMATS } from "../../../../src/image/formats.ts";
import { UNPAUSED } from "../../../../src/scheduler/time-slice.ts";
import { decodeFile } from "../../../support/files.ts";
import { paint, pictureOf } from "../../../support/rows.ts";

/** Lossy WebP of slopes and noise. */
function lossyWebp(width: number, height: number, quality: number): Promise<Uint8Array> {
  const noise = (x: number, y: number) => (Math.imul(x * 7_919 + y * 104_729 + 1, 2_654_435_761) >>> 26) & 63;
  const pixels = paint(width, height, (x, y) => [
    (x * 190) / width + noise(x, y),
    (y * 255) / height,
    noise(y, x) * 4,
    255,
  ]);
  const settings = { lossless: false, quality, progressive: false, effort: 0.5 };
  return FORMATS.webp.write.encode(pictureOf([pixels], { opaque: true }), settings, UNPAUSED);
}

describe("lossy WebP within a drawing", () => {
  it.each([
    [64, 48],
    [50, 51],
    [199, 149],
    [17, 18],
    [33, 1],
    [1, 20],
  ])("has the pixels that it has alone: %d x %d", async (width, height) => {
    for (const quality of [5, 60, 95]) {
      const webp = await lossyWebp(width, height, quality);
      const link = `data:image/webp;base64,${btoa(String.fromCharCode(...webp))}`;
      const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"><image width="${width}" height="${height}" href="${link}"/></svg>`;
      const drawn = await decodeFile(FORMATS.svg, new TextEncoder().encode(drawing));
      const alone = await decodeFile(FORMATS.webp, webp);
      expect(drawn.data).toEqual(alone.data);
    }
  });
});
