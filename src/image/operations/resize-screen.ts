/**
 * Sizes for screens and canvases, by the arithmetic of imgproxy's open edition (`processing/prepare.go`,
 * `calc_position.go` and `extend.go`): a density that gives way where the original has too few pixels, cuts, least sides
 * and canvases in one.
 */
import type { Size } from "../pixels/geometry.ts";
import { type Direction, type Gravity, isSought, placeAtShare, placeInside, type Point } from "../pixels/gravity.ts";
import { extend } from "../steps/extend.ts";
import type { Stage, Step } from "../steps/operation.ts";

/** What `resize` is asked for here; sides in pixels at density 1. */
export interface ScreenParams {
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly min_width?: number | undefined;
  readonly min_height?: number | undefined;
  readonly mode: "auto" | "fit" | "exact" | "match" | "shape";
  readonly upscale: boolean;
  readonly density: number;
  readonly gravity: Gravity;
  readonly focus?: Point | undefined;
  readonly position?: Point | undefined;
  readonly offset?: Point | undefined;
  readonly canvas?: "box" | "ratio" | undefined;
  readonly canvas_gravity: Direction;
  readonly canvas_offset?: Point | undefined;
  readonly background: string;
  readonly linear: boolean;
}

/** What is made of a picture, in whole pixels of the result. */
interface ScreenSizes {
  /** The whole picture, scaled. */
  readonly scaled: Size;
  /** What is cut out of it. */
  readonly cut: Size;
  /** What that is put on; no smaller than the cut. */
  readonly canvas: Size;
  /** The density that is had. */
  readonly density: number;
}

/** The sizes that a picture of this size goes through. */
function screenSizes(params: ScreenParams, size: Size): ScreenSizes {
  const { width = 0, height = 0, upscale, canvas } = params;
  let { across, down } = shrinks(params, size);
  let { density } = params;
  if (!upscale) {
    const least = Math.min(across, down);
    if (least < 1) {
      across /= least;
      down /= least;
      // A canvas keeps its composition whatever the density.
      if (canvas !== "box") density /= least;
    }
    density = Math.min(density, across, down);
  }
  const { min_width: leastWidth = 0, min_height: leastHeight = 0 } = params;
  if (leastWidth > 0 && size.width / leastWidth < across) {
    down *= size.width / leastWidth / across;
    across = size.width / leastWidth;
  }
  if (leastHeight > 0 && size.height / leastHeight < down) {
    across *= size.height / leastHeight / down;
    down = size.height / leastHeight;
  }
  const scaled = {
    width: Math.max(1, Math.round((size.width * density) / across)),
    height: Math.max(1, Math.round((size.height * density) / down)),
  };
  const box = { width: Math.round(width * density), height: Math.round(height * density) };
  const cut = cutSize(params, scaled, box);
  return { scaled, cut, canvas: canvasSize(canvas, cut, box), density };
}

/** Pixels of the picture for each of the result's at density 1, in both directions. */
function shrinks({ width, height, mode }: ScreenParams, size: Size): { across: number; down: number } {
  const across = size.width / (width ?? size.width);
  const down = size.height / (height ?? size.height);
  if (mode === "exact") return { across, down };
  if (width === undefined) return { across: down, down };
  if (height === undefined) return { across, down: across };
  const covers = mode === "match" ? size.width >= size.height === width >= height : mode !== "auto";
  const both = covers ? Math.min(across, down) : Math.max(across, down);
  return { across: both, down: both };
}

/** The part of the scaled picture that the box leaves, a missing side being free. */
function cutSize({ mode, upscale }: ScreenParams, scaled: Size, box: Size): Size {
  const lack = { width: box.width / scaled.width, height: box.height / scaled.height };
  const isShape = mode === "shape" && !upscale && box.width > 0 && box.height > 0;
  if (isShape && lack.width > lack.height && lack.width > 1) {
    return inside(scaled, { width: scaled.width, height: Math.round((scaled.width * box.height) / box.width) });
  }
  if (isShape && lack.height > lack.width && lack.height > 1) {
    return inside(scaled, { width: Math.round((scaled.height * box.width) / box.height), height: scaled.height });
  }
  return inside(scaled, { width: box.width || scaled.width, height: box.height || scaled.height });
}

function inside(whole: Size, { width, height }: Size): Size {
  return {
    width: Math.max(1, Math.min(whole.width, width)),
    height: Math.max(1, Math.min(whole.height, height)),
  };
}

function canvasSize(canvas: ScreenParams["canvas"], cut: Size, box: Size): Size {
  if (canvas === "box") {
    return { width: Math.max(cut.width, box.width), height: Math.max(cut.height, box.height) };
  }
  if (canvas === undefined || box.width === 0 || box.height === 0) return cut;
  const lack = { width: box.width / cut.width, height: box.height / cut.height };
  return {
    width: lack.width > lack.height ? Math.round((cut.height * box.width) / box.height) : cut.width,
    height: lack.height > lack.width ? Math.round((cut.width * box.height) / box.width) : cut.height,
  };
}

/** Scales, cuts and puts on a canvas. */
export async function screenSteps(params: ScreenParams, stage: Stage): Promise<Step[]> {
  const { size } = stage;
  const { scaled, cut, canvas, density } = screenSizes(params, size);
  const across = size.width / scaled.width;
  const down = size.height / scaled.height;
  const region = { width: cut.width * across, height: cut.height * down };
  const at = await cornerOf(params, stage, { scaled, cut, density });
  const steps: Step[] = [
    { kind: "crop", box: { x: at.x * across, y: at.y * down, ...region } },
    { kind: "resize", ...cut, kernel: "lanczos3", linear: params.linear },
  ];
  if (canvas.width === cut.width && canvas.height === cut.height) return steps;
  const corner = placedAt(cut, canvas, params.canvas_gravity, params.canvas_offset, density);
  return [...steps, extend(cut, canvas, corner, stage.colorOf(params.background))];
}

/** Where the cut begins, in pixels of the scaled picture. */
async function cornerOf(
  { gravity, focus, position, offset }: ScreenParams,
  stage: Stage,
  { scaled, cut, density }: Pick<ScreenSizes, "scaled" | "cut" | "density">,
): Promise<Point> {
  if (focus) {
    const middle = { x: evenly(scaled.width * focus.x), y: evenly(scaled.height * focus.y) };
    return kept(cut, scaled, {
      x: middle.x - Math.floor(cut.width / 2),
      y: middle.y - Math.floor(cut.height / 2),
    });
  }
  if (position) return placeAtShare(cut, scaled, position);
  if (!isSought(gravity)) return placedAt(cut, scaled, gravity, offset, density);
  const { size } = stage;
  const factor = { x: size.width / scaled.width, y: size.height / scaled.height };
  const region = { width: cut.width * factor.x, height: cut.height * factor.y };
  const found = await placeInside(region, size, gravity, stage);
  return { x: found.x / factor.x, y: found.y / factor.y };
}

/** A corner in whole pixels: the middle lies right and below of halves, and halves go to the even pixel. */
function placedAt(region: Size, canvas: Size, direction: Direction, offset: Point | undefined, density: number): Point {
  const off = (value: number, side: number) => evenly(Math.abs(value) < 1 ? value * side : value * density);
  const right = off(offset?.x ?? 0, canvas.width);
  const below = off(offset?.y ?? 0, canvas.height);
  const free = { x: canvas.width - region.width, y: canvas.height - region.height };
  const x = direction.includes("left")
    ? right
    : direction.includes("right")
      ? free.x - right
      : evenly((free.x + 1) / 2) + right;
  const y = direction.startsWith("top")
    ? below
    : direction.startsWith("bottom")
      ? free.y - below
      : evenly((free.y + 1) / 2) + below;
  return kept(region, canvas, { x, y });
}

function kept(region: Size, canvas: Size, { x, y }: Point): Point {
  return {
    x: Math.max(0, Math.min(x, canvas.width - region.width)),
    y: Math.max(0, Math.min(y, canvas.height - region.height)),
  };
}

/** Rounds; halves to the even neighbor. */
function evenly(value: number): number {
  const below = Math.floor(value);
  if (value - below !== 0.5) return Math.round(value);
  return below % 2 === 0 ? below : below + 1;
}
