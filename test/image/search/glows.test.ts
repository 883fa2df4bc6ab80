/** Glows and skies as WebP, whose blocks become even: what is left of them are steps, which are seen. */
import { expect, it } from "vitest";

import { parseBody, UploadBody } from "../../../src/contract/request.ts";
import { FORMATS } from "../../../src/image/formats.ts";
import { pixelsOf, rowsOver } from "../../../src/image/pixels/rows.ts";
import { pictureIn } from "../../../src/image/search/probe.ts";
import { judgeRows } from "../../../src/image/search/score.ts";
import { looksAt } from "../../../src/image/search/second-opinion.ts";
import { UNPAUSED } from "../../../src/scheduler/time-slice.ts";
import { rendered } from "../../support/render.ts";
import { paint, pictureOf, type Pixels } from "../../support/rows.ts";

const SIZE = { width: 160, height: 120 } as const;

/** A glow in front of a slope from blue to orange. */
const glowAt = (left: number): Pixels =>
  paint(SIZE.width, SIZE.height, (x, y) => {
    const along = (x / SIZE.width + y / SIZE.height) / 2;
    const bright = Math.max(0, 1 - Math.hypot(x - left, y - 60) / 42);
    const mix = (from: number, to: number, glow: number) => {
      const under = from + (to - from) * along;
      return Math.round(under + (glow - under) * bright);
    };
    return [mix(27, 240, 255), mix(42, 163, 248), mix(107, 94, 208), 255];
  });

it.each<[what: string, frames: readonly [Pixels, ...Pixels[]], mostBytes: number]>([
  ["a still", [glowAt(50)], 1_000],
  ["an animation", [glowAt(50), glowAt(70), glowAt(90)], 2_400],
])("keeps a glow without steps, at a quality that is just enough: %s", async (_what, frames, mostBytes) => {
  const exact = { lossless: true, quality: 100, progressive: false, effort: 0.5 };
  const source = await FORMATS.png.write.encode(pictureOf(frames, { opaque: true }), exact, UNPAUSED);
  const { output, optimize, ...operations } = parseBody(UploadBody, { output: { format: "webp" } });
  const { output: made } = await rendered(source, { operations, output, optimize });
  expect(made.bytes.length).toBeLessThan(mostBytes);
  const left = [...frames];
  for await (const { rows } of pictureIn(made.format, made.bytes).open(UNPAUSED)) {
    const shown = await pixelsOf(rows);
    const over = (data: Uint8Array) => rowsOver(data, { ...SIZE, opaque: true });
    const original = left.shift() ?? glowAt(0);
    const { points } = await judgeRows(over(original.data), over(shown), UNPAUSED, true);
    expect(looksAt(points)).toBe("same");
  }
  expect(left).toEqual([]);
});
