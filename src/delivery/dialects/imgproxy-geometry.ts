/** Sizes and canvases as imgproxy means them. */
import { ApiError } from "../../errors.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
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
  const { resizing, enlarges } = parsed;
  const width = scaled("width", parsed.width, parsed);
  const height = scaled("height", parsed.height, parsed);
  if (parsed.leastWidth > 0 || parsed.leastHeight > 0) return atLeast(parsed, { width, height });
  if (width === undefined && height === undefined) return zoomed(parsed);
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  const inside = enlarges ? size : { ...size, upscale: false };
  const isBox = width !== undefined && height !== undefined;
  if (parsed.extends || parsed.extendsRatio) return extended(parsed, isBox, inside);
  if (resizing === "force" && !isBox) throw new ApiError(422, "resizing_type force needs width and height");
  if (resizing === "fit" || !isBox) return { resize: inside };
  if (resizing === "force") return { resize: { ...inside, mode: "exact" } };
  // Smaller pictures keep the shape, not the size.
  if (resizing === "fill-down" && !enlarges) return shaped(parsed, width, height, inside);
  const place = placeInResult(parsed, parsed.place);
  if (resizing !== "auto") return { resize: { ...inside, mode: "fit", ...place } };
  if (parsed.zoomX !== parsed.zoomY) throw notOffered("resizing_type auto with a zoom that changes the shape");
  return { resize: { ...inside, mode: "match", ...place } };
}

/** @throws ApiError 422 where the least sides depend on more than the resize that has them */
function atLeast(
  parsed: Parsed,
  { width, height }: { width: number | undefined; height: number | undefined },
): DerivationBody {
  const { resizing, enlarges, leastWidth, leastHeight, dpr, zoomX, zoomY } = parsed;
  const isBox = width !== undefined && height !== undefined;
  if (isBox && resizing !== "fit") throw notOffered("min-width with this resizing_type");
  if (parsed.extends || parsed.extendsRatio) throw notOffered("min-width with extend");
  if (dpr !== 1 || zoomX !== 1 || zoomY !== 1) throw notOffered("min-width with dpr or zoom");
  return {
    resize: {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      ...(leastWidth > 0 && { min_width: leastWidth }),
      ...(leastHeight > 0 && { min_height: leastHeight }),
      ...(!enlarges && { upscale: false }),
      ...placeInResult(parsed, parsed.place),
    },
  };
}

function shaped({ crop, place }: Parsed, width: number, height: number, inside: object): DerivationBody {
  if (crop) throw notOffered("crop with resizing_type fill-down");
  if (place.focus) throw notOffered("gravity fp with resizing_type fill-down");
  if (place.offset) throw notOffered("gravity with offsets with resizing_type fill-down");
  return { crop: { mode: "ratio", ratio: `${width}:${height}`, ...place }, resize: inside };
}

/**
 * Offsets of pixels grow with the density of the screen.
 *
 * @throws ApiError 422 where the density that is had depends on the original
 */
function placeInResult({ dpr, enlarges }: Parsed, place: Place): Place {
  const { offset, ...rest } = place;
  if (!offset) return place;
  const isPixels = Math.abs(offset.x) >= 1 || Math.abs(offset.y) >= 1;
  if (isPixels && dpr !== 1 && !enlarges) throw notOffered("gravity with offsets in pixels with dpr without enlarge");
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

function extended(parsed: Parsed, isBox: boolean, inside: object): DerivationBody {
  const { resizing, enlarges } = parsed;
  if (!isBox) return { resize: inside };
  if (resizing === "auto" || (resizing !== "fit" && !enlarges)) throw notOffered("extend with this resizing_type");
  if (resizing === "force") return { resize: { ...inside, mode: "exact" } };
  if (resizing !== "fit") return { resize: { ...inside, mode: "fit", ...placeInResult(parsed, parsed.place) } };
  if (parsed.extendsRatio && !parsed.extends && !enlarges) throw notOffered("extend_aspect_ratio without enlarge");
  return {
    resize: {
      ...inside,
      mode: "fill",
      ...placeInResult(parsed, parsed.extendPlace),
      background: parsed.background ?? CLEAR,
    },
  };
}

function zoomed({ zoomX, zoomY, dpr, enlarges }: Parsed): DerivationBody {
  if (zoomX === 1 && zoomY === 1) return {};
  const [across, down] = [zoomX * dpr, zoomY * dpr];
  if (!enlarges && (across > 1 || down > 1)) return {};
  return { scale: { size: down, ...(across !== down && { ratio: across / down }) } };
}

/** Padding grows with the density of the screen. */
export function paddingOf({ padding, dpr, background }: Parsed): object | undefined {
  const [top, right, bottom, left] = padding.map((side) => Math.round(side * dpr));
  if (!top && !right && !bottom && !left) return undefined;
  return { top, right, bottom, left, ...(background !== undefined && { background }) };
}
