/** Sizes and canvases as imgproxy means them. */
import { ApiError } from "../../errors.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import type { DerivationBody } from "../asked.ts";
import { notOffered } from "../asked.ts";
import type { Wish } from "./imgproxy-wish.ts";

/** What imgproxy leaves where a canvas is larger than the picture and no color is named. */
const CLEAR = "00000000";

/** @throws ApiError 422 when it is more than any side may have */
export function scaled(
  name: "width" | "height",
  side: number | undefined,
  { dpr, zoomX, zoomY }: Pick<Wish, "dpr" | "zoomX" | "zoomY">,
): number | undefined {
  if (side === undefined) return undefined;
  const pixels = Math.max(1, Math.round(side * dpr * (name === "width" ? zoomX : zoomY)));
  if (pixels > MAX_SIDE_PIXELS) throw new ApiError(422, `${name} times dpr must be at most ${MAX_SIDE_PIXELS}`);
  return pixels;
}

/** The members of the request that change the size. */
export function resizeOf(wish: Wish): DerivationBody {
  const { resizing, enlarges, place } = wish;
  const width = scaled("width", wish.width, wish);
  const height = scaled("height", wish.height, wish);
  if (wish.leastWidth > 0 || wish.leastHeight > 0) return atLeast(wish, { width, height });
  if (width === undefined && height === undefined) return zoomed(wish);
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  const inside = enlarges ? size : { ...size, upscale: false };
  const isBox = width !== undefined && height !== undefined;
  if (wish.extends || wish.extendsRatio) return extended(wish, isBox, inside);
  if (resizing === "force" && !isBox) throw new ApiError(422, "resizing_type force needs width and height");
  if (resizing === "fit" || !isBox) return { resize: inside };
  if (resizing === "force") return { resize: { ...inside, mode: "exact" } };
  // Smaller pictures keep the shape, not the size.
  if (resizing === "fill-down" && !enlarges) return shaped(wish, width, height, inside);
  return { resize: { ...inside, mode: "fit", ...place } };
}

/** @throws ApiError 422 where the least sides depend on more than the resize that has them */
function atLeast(
  wish: Wish,
  { width, height }: { width: number | undefined; height: number | undefined },
): DerivationBody {
  const { resizing, enlarges, place, leastWidth, leastHeight, dpr, zoomX, zoomY } = wish;
  const isBox = width !== undefined && height !== undefined;
  if (isBox && resizing !== "fit") throw notOffered("min-width with this resizing_type");
  if (wish.extends || wish.extendsRatio) throw notOffered("min-width with extend");
  if (dpr !== 1 || zoomX !== 1 || zoomY !== 1) throw notOffered("min-width with dpr or zoom");
  return {
    resize: {
      ...(width !== undefined && { width }),
      ...(height !== undefined && { height }),
      ...(leastWidth > 0 && { min_width: leastWidth }),
      ...(leastHeight > 0 && { min_height: leastHeight }),
      ...(!enlarges && { upscale: false }),
      ...place,
    },
  };
}

function shaped({ crop, place }: Wish, width: number, height: number, inside: object): DerivationBody {
  if (crop) throw notOffered("crop with resizing_type fill-down");
  if (place["focus"]) throw notOffered("gravity fp with resizing_type fill-down");
  return { crop: { mode: "ratio", ratio: `${width}:${height}`, ...place }, resize: inside };
}

function extended(
  { resizing, enlarges, extendGravity, ...wish }: Wish,
  isBox: boolean,
  inside: object,
): DerivationBody {
  if (!isBox) return { resize: inside };
  if (resizing !== "fit" && !enlarges) throw notOffered("extend with this resizing_type");
  if (resizing !== "fit") return { resize: { ...inside, mode: resizing === "force" ? "exact" : "fit", ...wish.place } };
  if (wish.extendsRatio && !wish.extends && !enlarges) throw notOffered("extend_aspect_ratio without enlarge");
  return { resize: { ...inside, mode: "fill", gravity: extendGravity, background: wish.background ?? CLEAR } };
}

function zoomed({ zoomX, zoomY, dpr, enlarges }: Wish): DerivationBody {
  if (zoomX === 1 && zoomY === 1) return {};
  const [across, down] = [zoomX * dpr, zoomY * dpr];
  if (!enlarges && (across > 1 || down > 1)) return {};
  return { scale: { size: down, ...(across !== down && { ratio: across / down }) } };
}

/** Padding grows with the density of the screen. */
export function paddingOf({ padding, dpr, background }: Wish): object | undefined {
  const [top, right, bottom, left] = padding.map((side) => Math.round(side * dpr));
  if (!top && !right && !bottom && !left) return undefined;
  return { top, right, bottom, left, ...(background !== undefined && { background }) };
}
