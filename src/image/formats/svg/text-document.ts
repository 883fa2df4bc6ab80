/** Texts as drawings: lines of a block, turned about its middle, of which a region is shown. */
import type { Rgba } from "../../color/rgba.ts";
import type { Box, Size } from "../../pixels/geometry.ts";
import type { Line } from "../../text/lines.ts";
import type { Metrics } from "../../text/metrics.ts";
import { type SvgElement, writtenSvg } from "./tree.ts";

export interface Style {
  /** Of the font, as its file calls it. */
  readonly family: string;
  readonly weight: number;
  /** Pixels. */
  readonly size: number;
  readonly color: Rgba;
  readonly background: Rgba | undefined;
  readonly align: "left" | "center" | "right";
  /** Degrees clockwise. */
  readonly angle: number;
}

/** Lines, and the room that they take upright, in pixels. */
export interface Block extends Size {
  readonly lines: readonly Line[];
  readonly metrics: Metrics;
  /** From the edges of the block to the lines. */
  readonly inset: number;
}

/** How far a background reaches beyond its text, in parts of the font's size. */
export const INSET = 0.3;
/** How far accents and swings may stand out of their lines, in parts of the font's size. */
export const OVERHANG = 0.35;

export function blockOf(lines: readonly Line[], metrics: Metrics, { size, background }: Style): Block {
  const inset = background ? INSET * size : 0;
  const widest = Math.max(...lines.map(({ width }) => width)) * size;
  const height = lines.length * metrics.lineHeight * size;
  return { lines, metrics, inset, width: widest + 2 * inset, height: height + 2 * inset };
}

/** The whole pixels that a block needs once it is turned. */
export function turnedSize({ width, height }: Size, angle: number): Size {
  const [cos, sin] = [Math.abs(Math.cos(radians(angle))), Math.abs(Math.sin(radians(angle)))];
  // Sines of quarter turns are not quite zero.
  const whole = (side: number) => Math.max(1, Math.ceil(side - 1e-6));
  return { width: whole(width * cos + height * sin), height: whole(width * sin + height * cos) };
}

function radians(degrees: number): number {
  return (degrees * Math.PI) / 180;
}

/**
 * A document that shows a region of a turned block.
 * @param shown of the turned block, whose top-left corner is at 0, 0
 */
export function textDocument(block: Block, style: Style, shown: Box): string {
  const turned = turnedSize(block, style.angle);
  const [middleX, middleY] = [turned.width / 2 - shown.x, turned.height / 2 - shown.y];
  const transform = `translate(${middleX} ${middleY}) rotate(${style.angle}) translate(${-block.width / 2} ${-block.height / 2})`;
  const children = [
    ...background(block, style),
    ...block.lines.flatMap((line, row) => written(block, style, line, row)),
  ];
  const group = element("g", { transform }, children);
  const root = element("svg", { width: shown.width, height: shown.height }, [group]);
  return writtenSvg(root);
}

function background({ width, height }: Block, { background: color }: Style): SvgElement[] {
  return color ? [element("rect", { width, height, ...painted(color) })] : [];
}

const ANCHORS = { left: "start", center: "middle", right: "end" } as const;
const SHARES = { left: 0, center: 0.5, right: 1 } as const;

function written({ width, inset, metrics }: Block, style: Style, { text }: Line, row: number): SvgElement[] {
  if (text === "") return [];
  const { lineHeight, ascent, descent } = metrics;
  const { align, size } = style;
  const baseline = row * lineHeight + (lineHeight + ascent - descent) / 2;
  const attributes = {
    x: inset + SHARES[align] * (width - 2 * inset),
    y: inset + baseline * size,
    "font-family": style.family,
    "font-size": size,
    "font-weight": style.weight,
    "text-anchor": ANCHORS[align],
    ...painted(style.color),
  };
  // Documents take several spaces for one, and those at the ends for none.
  return [element("text", attributes, [text.replaceAll(" ", "\u00A0")])];
}

function painted([red, green, blue, alpha]: Rgba): Record<string, string | number> {
  return { fill: `rgb(${red},${green},${blue})`, "fill-opacity": alpha / 255 };
}

function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: SvgElement["children"] = [],
): SvgElement {
  return {
    name,
    attributes: new Map(Object.entries(attributes).map(([key, value]) => [key, String(value)])),
    children,
  };
}
