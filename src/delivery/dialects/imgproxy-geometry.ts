/** Sizes and canvases as imgproxy means them. */
import { ApiError } from "../../errors.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import type { DerivationBody } from "../asked.ts";
import { notOffered } from "../asked.ts";
import type { Place, Parsed } from "./imgproxy-parsed.ts";

/** What imgproxy leaves where a canvas is larger than the picture and no color is named. */
const CLEAR = "00000000";

/** @throws ApiError 422 when it is more than any side may have */
export function scaled(
  name: "width" | "height",
  side: number | undefined,
  { dpr, zoomX, zoomY }: Pick<Parsed, "dpr" | "zoomX" | "zoomY">,
): number | undefined {
  if (side === undefined) return undefined;
  const pixels = Math.max(1, Math.round(side * dpr * (name === "width" ? zoomX : zoomY)));
  if (pixels > MAX_SIDE_PIXELS) throw new ApiError(422, `${name} times dpr must be at most ${MAX_SIDE_PIXELS}`);
  return pixels;
}

/** The members of the request that change the size. */
export function resizeOf(parsed: Parsed): DerivationBody {
  const { resizing, enlarges, leastWidth, leastHeight } = parsed;
  const width = scaled("width", parsed.width, parsed);
  const height = scaled("height", parsed.height, parsed);
  if (resizing === "auto" && parsed.zoomX !== parsed.zoomY) {
    throw notOffered("resizing_type auto with a zoom that changes the shape");
  }
  const hasLeast = leastWidth > 0 || leastHeight > 0;
  if (width === undefined && height === undefined && !hasLeast) return zoomed(parsed);
  if (needsScreen(parsed)) return onScreen(parsed);
  const size = {
    ...(width !== undefined && { width }),
    ...(height !== undefined && { height }),
    ...(leastWidth > 0 && { min_width: leastWidth }),
    ...(leastHeight > 0 && { min_height: leastHeight }),
  };
  const inside = enlarges ? size : { ...size, upscale: false };
  if (resizing === "force") return { resize: { ...inside, mode: "exact" } };
  const isBox = width !== undefined && height !== undefined;
  const place = placeInResult(parsed, parsed.place);
  if (resizing === "fit" || !isBox) return { resize: hasLeast ? { ...inside, ...place } : inside };
  return { resize: { ...inside, mode: resizing === "auto" ? "match" : "fit", ...place } };
}

/** Whether the sides depend on each other, or on the original, in ways that take the engine's sizes for screens. */
function needsScreen(parsed: Parsed): boolean {
  const { resizing, enlarges, dpr, width, height, leastWidth, leastHeight, place } = parsed;
  const isBox = width !== undefined && height !== undefined;
  const hasLeast = leastWidth > 0 || leastHeight > 0;
  if (parsed.extends || parsed.extendsRatio) return true;
  if (hasLeast && ((isBox && resizing !== "fit") || dpr !== 1)) return true;
  if (resizing === "force" || (resizing === "fill-down" && isBox)) return !enlarges;
  return dpr !== 1 && !enlarges && ((isBox && resizing !== "fit") || place.offset !== undefined);
}

const MODES = { fit: "auto", fill: "fit", "fill-down": "shape", force: "exact", auto: "match" } as const;

function onScreen(parsed: Parsed): DerivationBody {
  const { resizing, enlarges, leastWidth, leastHeight, dpr, zoomX, zoomY, background } = parsed;
  const width = scaled("width", parsed.width, { dpr: 1, zoomX, zoomY });
  const height = scaled("height", parsed.height, { dpr: 1, zoomX, zoomY });
  const isBox = width !== undefined && height !== undefined;
  const mode = isBox || resizing === "force" ? MODES[resizing] : "auto";
  const extendPlace = parsed.extends ? parsed.extendPlace : parsed.extendRatioPlace;
  return {
    resize: {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      ...(leastWidth > 0 && { min_width: leastWidth }),
      ...(leastHeight > 0 && { min_height: leastHeight }),
      ...(mode !== "auto" && { mode }),
      ...(!enlarges && { upscale: false }),
      density: dpr,
      ...parsed.place,
      ...((parsed.extends || parsed.extendsRatio) && {
        canvas: parsed.extends ? "box" : "ratio",
        ...(extendPlace.gravity !== undefined && { canvas_gravity: extendPlace.gravity }),
        ...(extendPlace.offset && { canvas_offset: extendPlace.offset }),
        background: background ?? CLEAR,
      }),
    },
  };
}

/** Offsets of pixels grow with the density of the screen. */
function placeInResult({ dpr }: Parsed, place: Place): Place {
  const { offset, ...rest } = place;
  if (!offset) return place;
  const dense = (value: number) => (Math.abs(value) < 1 ? value : Math.round(value * dpr));
  const [x, y] = [dense(offset.x), dense(offset.y)];
  return x === 0 && y === 0 ? rest : { ...rest, offset: { x, y } };
}

/** What is cut out before the size changes, in pixels of the original. */
export function cropOf({ crop, place }: Parsed): DerivationBody {
  if (!crop) return {};
  const { width, height } = crop;
  return { crop: { width, height, ...placeInOriginal(crop.place ?? place) } };
}

function placeInOriginal({ offset, ...rest }: Place): Place {
  if (!offset) return rest;
  const whole = (value: number) => (Math.abs(value) < 1 ? value : Math.round(value));
  return { ...rest, offset: { x: whole(offset.x), y: whole(offset.y) } };
}

/** What a picture becomes of which no side is asked for. */
function zoomed(parsed: Parsed): DerivationBody {
  const { zoomX, zoomY, enlarges } = parsed;
  const least = enlarges ? 1 : Math.max(1, zoomX, zoomY);
  const density = densityOf(parsed);
  const [across, down] = [(zoomX * density) / least, (zoomY * density) / least];
  if (across === 1 && down === 1) return {};
  return { scale: { size: down, ...(across !== down && { ratio: across / down }) } };
}

/** The density that is had where no side is asked for; else the one that is wanted. */
function densityOf({ width, height, leastWidth, leastHeight, dpr, zoomX, zoomY, enlarges }: Parsed): number {
  if (enlarges || width !== undefined || height !== undefined || leastWidth > 0 || leastHeight > 0) return dpr;
  const least = Math.max(1, zoomX, zoomY);
  return Math.min(dpr * least, least / zoomX, least / zoomY);
}

/** Padding grows with the density of the screen. */
export function paddingOf(parsed: Parsed): object | undefined {
  const { padding, background } = parsed;
  const density = densityOf(parsed);
  const [top, right, bottom, left] = padding.map((side) => Math.round(side * density));
  if (!top && !right && !bottom && !left) return undefined;
  return { top, right, bottom, left, ...(background !== undefined && { background }) };
}
