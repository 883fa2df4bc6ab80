/** Faces and rectangles made unrecognizable. */
import * as v from "valibot";

import { ApiError } from "../../errors.ts";
import { decimal, hexColor, oneOf, record, sideOrPart } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import { snapped } from "../faces/report.ts";
import { spansOf } from "../faces/spans.ts";
import { type Box, lengthOf, outerBox, type Size } from "../pixels/geometry.ts";
import { pixelsOf, rowsOver } from "../pixels/rows.ts";
import type { Small } from "../steps/analysis.ts";
import { type Kernel, operation } from "../steps/operation.ts";
import { resample } from "../steps/resample.ts";
import { type Colors, type Cover, coverStep, oneColor } from "./redact/cover.ts";

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

const MAX_REGIONS = 32;

const WAYS = ["blur", "pixellate", "fill"] as const;
const cornerRule = `must be a number of pixels, or below 1 a part of the side, from 0 to ${MAX_SIDE_PIXELS}`;
const corner = v.pipe(v.number(cornerRule), v.minValue(0, cornerRule), v.maxValue(MAX_SIDE_PIXELS, cornerRule));
const side = sideOrPart(MAX_SIDE_PIXELS);
const regionsRule = `must be a list of 1 to ${MAX_REGIONS} rectangles`;

const Redact = v.pipe(
  record({
    faces: v.optional(oneOf(WAYS)),
    mode: v.optional(oneOf(WAYS)),
    padding: v.optional(decimal(0, MAX_PADDING), DEFAULT_PADDING),
    regions: v.optional(
      v.pipe(
        v.array(record({ x: corner, y: corner, width: side, height: side }), regionsRule),
        v.minLength(1, regionsRule),
        v.maxLength(MAX_REGIONS, regionsRule),
      ),
    ),
    color: v.optional(hexColor("rgb")),
  }),
  v.check(({ faces, regions }) => faces !== undefined || regions !== undefined, "needs faces, regions, or both"),
  v.check(({ regions, mode }) => mode === undefined || regions !== undefined, "must have mode with regions only"),
  v.check(
    ({ faces, regions, mode = "fill", color }) =>
      color === undefined || faces === "fill" || (regions !== undefined && mode === "fill"),
    "must have color with faces: fill or mode: fill only",
  ),
);
type Region = NonNullable<v.InferOutput<typeof Redact>["regions"]>[number];

/** Between the colors. */
const KERNELS = { blur: "linear", pixellate: "nearest", fill: "nearest" } as const satisfies Record<string, Kernel>;

export const redact = operation({
  summary:
    "Hides faces and rectangles for good. `blur` and `pixellate` leave six colors along the longer side of what they cover, softly joined or as cells, `fill` leaves nothing but `color` (black unless it is said). `faces` says how faces are covered, with `padding` times half their size around them. The faces that were found are `input.faces`; where that is empty, none was covered. Of an animation faces are sought in up to 16 frames and covered on their way from one to the next; `input.faces` has those of the first. `regions` are up to 32 rectangles of the picture as it is by then (upright, cut and resized), in pixels or below 1 as parts of its sides, covered in all frames as `mode` says: `fill` unless it is named.",
  params: Redact,
  looks: ({ faces, regions, mode = "fill" }) => (faces || (regions && mode !== "fill") ? FACE_SIDE : 0),
  sampledFrames: MAX_SOUGHT_FRAMES,
  async plan({ faces, padding, regions = [], mode = "fill", color = "000000" }, stage) {
    const { size } = stage;
    const filling = oneColor(stage.colorOf(color));
    const coversOf = async (boxes: readonly Box[], way: (typeof WAYS)[number], seen?: Small) => {
      const covers: Cover[] = [];
      for (const box of boxes) {
        const colors = way === "fill" || !seen ? filling : await colorsIn(seen, box, size);
        covers.push({ box, kernel: KERNELS[way], colors });
      }
      return covers;
    };
    const named = await coversOf(
      regions.map((region, index) => boxOf(region, index, size)),
      mode,
      regions.length > 0 && mode !== "fill" ? await stage.seen() : undefined,
    );
    if (!faces) return [coverStep(size, [{ from: 0, covers: named }])];
    const spans: { readonly from: number; readonly covers: readonly Cover[] }[] = [];
    for await (const { from, seen, boxes } of spansOf(stage.sampledFrames(), (face) => padded(face, padding))) {
      const covers = await coversOf(
        boxes.map((wide) => snapped(wide, size)),
        faces,
        seen,
      );
      spans.push({ from, covers: [...covers, ...named] });
    }
    return spans.some(({ covers }) => covers.length > 0) ? [coverStep(size, spans)] : [];
  },
});

/**
 * A rectangle in whole pixels, none of which shows anything that it covers.
 * @throws {ApiError} 422 where it covers nothing: whoever asked would take the picture for redacted
 */
function boxOf({ x, y, width, height }: Region, index: number, size: Size): Box {
  const at = { x: lengthOf(x, size.width), y: lengthOf(y, size.height) };
  if (at.x >= size.width || at.y >= size.height)
    throw new ApiError(422, `redact.regions.${index} must lie inside the image`);
  const box = outerBox({ ...at, width: lengthOf(width, size.width), height: lengthOf(height, size.height) }, size);
  // A part of a side that is next to nothing is lost in the sum.
  return { ...box, width: Math.max(1, box.width), height: Math.max(1, box.height) };
}

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
