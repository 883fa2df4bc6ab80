/** Faces made unrecognizable. */
import * as v from "valibot";

import type { Price } from "../../../wasm/price.ts";
import { decimal, hexColor, oneOf, record } from "../../fields.ts";
import type { Rgba } from "../color.ts";
import { FACE_SIDE } from "../faces/detect.ts";
import { snapped } from "../faces/report.ts";
import type { Box, Size } from "../geometry.ts";
import { laidStep } from "../laid.ts";
import { type Kernel, operation, type Step } from "../operation.ts";
import { resample, resamplePrice } from "../resample.ts";
import { pixelsOf, rowsOver } from "../rows.ts";

/**
 * Colors along the longer side of what is covered, all that a blur shows of it: a face, which fills two thirds, has four
 * by four. With twice as many, people tell those whom they know.
 */
const COLORS = 6;
/** Times half a face's size around it: hair and ears are as telling as what is between them. */
const DEFAULT_PADDING = 0.5;
const MAX_PADDING = 10;

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
    "Makes faces unrecognizable, with `padding` times half their size around them: `blur` and `pixellate` leave six colors along the longer side of what they cover, softly joined or as cells, `fill` leaves nothing but `color` (black unless it is said). The faces that were found are `input.faces`; where that is empty, nothing was changed. Of an animation those of the first frame are covered in all frames.",
  params: Redact,
  looks: () => FACE_SIDE,
  async plan({ faces: way, padding, color = "000000" }, { size, faces, seen, colorOf }) {
    const found = await faces();
    if (found.length === 0) return [];
    const boxes = found.map((face) => snapped(padded(face, padding), size));
    const kernel = KERNELS[way];
    if (way === "fill") return boxes.map((box) => covered(size, box, oneColor(colorOf(color)), kernel));
    const small = await seen();
    const steps: Step[] = [];
    for (const box of boxes) steps.push(covered(size, box, await colorsIn(small, box, size), kernel));
    return steps;
  },
});

function padded({ x, y, width, height }: Box, padding: number): Box {
  const [across, down] = [(padding * width) / 2, (padding * height) / 2];
  return { x: x - across, y: y - down, width: width + 2 * across, height: height + 2 * down };
}

interface Colors extends Size {
  /** RGBA8, without alpha below 255: what is under them must not show. */
  readonly pixels: Uint8Array;
}

function oneColor(color: Rgba): Colors {
  return { width: 1, height: 1, pixels: Uint8Array.from(color) };
}

/** The mean colors of a part of the picture, as many as may be seen of it. */
async function colorsIn({ width, height, pixels }: Colors, part: Box, picture: Size): Promise<Colors> {
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

/** A part of the picture with nothing but these colors in it. */
function covered(picture: Size, part: Box, { pixels, ...few }: Colors, kernel: Kernel): Step {
  const size = { width: part.width, height: part.height };
  const box = { x: 0, y: 0, ...few };
  const price: Price = resamplePrice(few, size);
  const open = async () => resample(rowsOver(pixels, { ...few, opaque: true }), { box, ...size, kernel });
  return laidStep(picture, { size, at: part, opacity: 1, price, open });
}
