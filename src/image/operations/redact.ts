/** Faces made unrecognizable. */
import * as v from "valibot";

import { decimal, hexColor, oneOf, record } from "../../fields.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import { snapped } from "../faces/report.ts";
import { spansOf } from "../faces/spans.ts";
import type { Box, Size } from "../pixels/geometry.ts";
import { pixelsOf, rowsOver } from "../pixels/rows.ts";
import type { Small } from "../steps/analysis.ts";
import { type Colors, type Cover, coverStep, oneColor } from "../steps/cover.ts";
import { type Kernel, operation } from "../steps/operation.ts";
import { resample } from "../steps/resample.ts";

/**
 * Colors along the longer side of what is covered, all that a blur shows of it: a face, which fills two thirds, has
 * four by four. With twice as many, people tell those whom they know.
 */
const COLORS = 6;
/** Times half a face's size around it: hair and ears are as telling as what is between them. */
const DEFAULT_PADDING = 0.5;
const MAX_PADDING = 10;

/**
 * Frames of an animation in which faces are sought, at most: three seconds of work where they are large, and in a film
 * of two seconds every third one.
 */
const MAX_SOUGHT_FRAMES = 16;

const Redact = v.pipe(
  record({
    faces: oneOf(["blur", "pixellate", "fill"]),
    padding: v.optional(decimal(0, MAX_PADDING), DEFAULT_PADDING),
    color: v.optional(hexColor("rgb")),
  }),
  v.check(({ faces, color }) => color === undefined || faces === "fill", "must have color with faces: fill only"),
);

/** Between the colors. */
const KERNELS = { blur: "linear", pixellate: "nearest", fill: "nearest" } as const satisfies Record<string, Kernel>;

export const redact = operation({
  summary:
    "Makes faces unrecognizable, with `padding` times half their size around them: `blur` and `pixellate` leave six colors along the longer side of what they cover, softly joined or as cells, `fill` leaves nothing but `color` (black unless it is said). The faces that were found are `input.faces`; where that is empty, nothing was changed. Of an animation faces are sought in up to 16 frames and covered on their way from one to the next; `input.faces` has those of the first.",
  params: Redact,
  looks: () => FACE_SIDE,
  sampledFrames: MAX_SOUGHT_FRAMES,
  async plan({ faces: way, padding, color = "000000" }, { size, sampledFrames, colorOf }) {
    const filling = way === "fill" ? oneColor(colorOf(color)) : undefined;
    const kernel = KERNELS[way];
    const spans: { readonly from: number; readonly covers: readonly Cover[] }[] = [];
    for await (const { from, seen, boxes } of spansOf(sampledFrames(), (face) => padded(face, padding))) {
      const covers: Cover[] = [];
      for (const box of boxes.map((wide) => snapped(wide, size)))
        covers.push({ box, kernel, colors: filling ?? (await colorsIn(seen, box, size)) });
      spans.push({ from, covers });
    }
    return spans.some(({ covers }) => covers.length > 0) ? [coverStep(size, spans)] : [];
  },
});

function padded({ x, y, width, height }: Box, padding: number): Box {
  const [across, down] = [(padding * width) / 2, (padding * height) / 2];
  return { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down };
}

/** The mean colors of a part of the picture, as many as may be seen of it. */
async function colorsIn({ width, height, pixels }: Small, part: Box, picture: Size): Promise<Colors> {
  const [scaleX, scaleY] = [width / picture.width, height / picture.height];
  const box = { x: part.x * scaleX, y: part.y * scaleY, width: part.width * scaleX, height: part.height * scaleY };
  const cell = Math.max(part.width, part.height) / COLORS;
  const size = {
    width: Math.max(1, Math.round(part.width / cell)),
    height: Math.max(1, Math.round(part.height / cell)),
  };
  const rows = resample(rowsOver(pixels, { width, height, opaque: false }), { box, ...size, kernel: "linear" });
  const colors = await pixelsOf(rows);
  for (let at = 3; at < colors.length; at += 4) colors[at] = 255;
  return { ...size, pixels: colors };
}
