/** Words written on pictures. */
import * as v from "valibot";

import { lettering } from "#formats/svg";

import { parallel } from "../../../wasm/estimate.ts";
import { ApiError } from "../../errors.ts";
import { decimal, hexColor, integer, lenientInteger, oneOf, record, sideOrPart } from "../../fields.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import { conversionEstimate, toSpace } from "../codec/convert-colors.ts";
import { parseColor } from "../color/rgba.ts";
import type { Space } from "../color/space.ts";
import {
  type Block,
  blockOf,
  INSET,
  OVERHANG,
  type Style,
  textDocument,
  turnedSize,
} from "../formats/svg/text-document.ts";
import { type Box, lengthOf, type Size } from "../pixels/geometry.ts";
import { DIRECTIONS, type Point } from "../pixels/gravity.ts";
import { laidAt, laidStep, overlap } from "../steps/composite.ts";
import { operation, type Step } from "../steps/operation.ts";
import { drawnCharacters, linesOf, plainText } from "../text/lines.ts";
import { type Metrics, metricsOf } from "../text/metrics.ts";
import { nameOf } from "../text/scripts.ts";

const MAX_CHARACTERS = 500;
const MAX_PADDING_PIXELS = 10_000;
/** Of letters; a part of the picture's height unless it is said. */
const MAX_SIZE_PIXELS = 4_000;
const DEFAULT_SIZE = 0.05;
const LEAST_SIZE_PIXELS = 1;

const offset = lenientInteger(-MAX_SIDE_PIXELS, MAX_SIDE_PIXELS);
const rule = `must be a text of 1 to ${MAX_CHARACTERS} characters`;

/** Line ends and tabs are the only control characters that mean something in it. */
const value = v.pipe(
  v.string(rule),
  v.minLength(1, rule),
  v.maxLength(MAX_CHARACTERS, rule),
  // oxlint-disable-next-line no-control-regex -- refusing control characters is the point
  v.regex(/^[^\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]*$/, "must not contain control characters"),
);

const Text = v.pipe(
  record({
    value,
    size: v.optional(sideOrPart(MAX_SIZE_PIXELS), DEFAULT_SIZE),
    font: v.optional(oneOf(["sans", "serif", "mono"]), "sans"),
    weight: v.optional(v.picklist([400, 700], "must be one of 400, 700"), 400),
    color: v.optional(hexColor(), "ffffff"),
    background: v.optional(hexColor()),
    gravity: v.optional(oneOf(DIRECTIONS)),
    padding: v.optional(integer(0, MAX_PADDING_PIXELS), 0),
    x: v.optional(offset),
    y: v.optional(offset),
    opacity: v.optional(decimal(0.01, 1), 1),
    width: v.optional(sideOrPart(MAX_SIDE_PIXELS)),
    align: v.optional(oneOf(["left", "center", "right"]), "left"),
    angle: v.optional(decimal(-360, 360), 0),
  }),
  v.check(
    ({ x, y, gravity }) => (x === undefined && y === undefined) || gravity === undefined,
    "must have either gravity or x and y, not both",
  ),
);
type Text = v.InferOutput<typeof Text>;

export const text = operation({
  summary:
    "Writes `value` on the picture: where `gravity` pulls it, `padding` pixels from the edges, or at x and y. `size` is that of the letters in pixels, or below 1 a part of the picture's height. Lines are as wide as `width` (pixels, or below 1 a part of the picture's width; without it as the picture less `padding`) and end where the text says so or where words do; `align` puts them to the left, the center or the right of the widest. `background` lies behind the text and reaches a little beyond it; both colors may have alpha (RRGGBBAA). `angle` turns the whole clockwise about its middle. The fonts `sans`, `serif` and `mono`, each of `weight` 400 or 700, have the letters of Latin, Greek and Cyrillic.",
  params: Text,
  async plan(params, { size, space }) {
    const { weight, font, color, background } = params;
    const { name, files } = lettering.familyOf(font);
    const metrics = metricsOf(files[weight]);
    const plain = plainText(params.value);
    checkCharacters(plain, metrics);
    const style: Style = {
      ...params,
      family: name,
      size: Math.max(LEAST_SIZE_PIXELS, lengthOf(params.size, size.height)),
      color: parseColor(color),
      background: background === undefined ? undefined : parseColor(background),
    };
    const most = Math.max(0, lineWidth(params, size) - (style.background ? 2 * INSET * style.size : 0));
    const block = blockOf(await linesOf(plain, metrics, most / style.size), metrics, style);
    return laid(params, block, style, size, space);
  },
});

/** @throws ApiError 422 when the font lacks a character */
function checkCharacters(plain: string, { has }: Metrics): void {
  const missing = [...drawnCharacters(plain)].find((character) => !has(character.codePointAt(0) ?? 0));
  if (missing !== undefined)
    throw new ApiError(422, `text.value has characters that no font here has: ${nameOf(missing)}`);
}

/** How wide lines may be, in pixels. */
function lineWidth({ width, padding, x = 0, gravity }: Text, picture: Size): number {
  if (width !== undefined) return lengthOf(width, picture.width);
  return gravity === undefined && x !== 0 ? picture.width - x : picture.width - 2 * padding;
}

function laid({ opacity, ...params }: Text, block: Block, style: Style, picture: Size, space?: Space): Step[] {
  const isEmpty = block.lines.every((line) => line.text === "") && !style.background;
  if (isEmpty) return [];
  const turned = turnedSize(block, style.angle);
  const { at, shown } = visiblePart(laidAt(params, turned, picture), turned, Math.ceil(OVERHANG * style.size), picture);
  if (shown.width === 0 || shown.height === 0) return [];
  const document = textDocument(block, style, shown);
  const characters = block.lines.reduce((sum, line) => sum + line.text.length, 0);
  // Drawn in sRGB.
  const estimate = parallel(lettering.estimateOf(characters, shown), conversionEstimate(shown, {}, space));
  const open = async (timeSlice: TimeSlice) =>
    toSpace(await lettering.open(document, characters, shown, timeSlice), { colorspace: "RGB" }, space);
  return [laidStep(picture, { size: shown, at, opacity, estimate, open })];
}

/**
 * The part of a block with what stands out of it that lies on the picture, in pixels of the block, and where it begins
 * on the picture.
 */
function visiblePart(at: Point, block: Size, overhang: number, picture: Size): { at: Point; shown: Box } {
  const corner = { x: at.x - overhang, y: at.y - overhang };
  const grown = { width: block.width + 2 * overhang, height: block.height + 2 * overhang };
  const { x, y, width, height } = overlap(corner, grown, picture);
  return {
    at: { x: corner.x + x, y: corner.y + y },
    shown: { x: x - overhang, y: y - overhang, width, height },
  };
}
