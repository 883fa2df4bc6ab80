/**
 * `<options>/<source>`: options as the edge network has them, `width=400,fit=cover`, and a few of ours. Their meaning
 * is that of https://developers.cloudflare.com/images/transform-images/transform-via-url/.
 */
import { ADDRESS_FORMATS } from "../../contract/format-lists.ts";
import { ApiError, nameToShow } from "../../errors.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { percentDecoded } from "../../percent.ts";
import type { Asked, DerivationBody, Dialect, Spelled } from "../asked.ts";
import { merged } from "../merge.ts";
import { plainSource } from "../sources.ts";
import { optionOf } from "./edge-network-options.ts";
import { emptyParsed, type Parsed } from "./edge-network-parsed.ts";
import { trimOf } from "./edge-network-trim.ts";

export const edgeNetwork: Dialect = {
  expiredStatus: 403,
  split(path) {
    // A prefix that loaders write by themselves, passed over.
    const [, before = "", own] = /^(\/cdn-cgi\/image)?(\/.*)$/.exec(path) ?? [];
    const [, options, source] = /^\/([^/]*)\/(.+)$/.exec(own ?? "") ?? [];
    if (options === undefined || source === undefined || !isOptions(options)) return undefined;
    const pairs = options.split(",");
    const signatures = pairs.filter((pair) => pair.startsWith("sig="));
    const others = pairs.filter((pair) => !pair.startsWith("sig="));
    return {
      // Two signatures are none that fits.
      signature: signatures.length === 0 ? undefined : signatures.map((pair) => pair.slice("sig=".length)).join(","),
      signed: `${before}/${others.join(",")}/${source}`,
      options: others.join(","),
      source: plainSource(source),
    };
  },
  read(spelled) {
    return askedOf(spelled, gathered(spelled.options));
  },
};

/** Without options a segment is none of ours. */
function isOptions(segment: string): boolean {
  return segment === "-" || segment.includes("=");
}

function gathered(options: string): Parsed {
  const parsed = emptyParsed();
  const pairs = options === "-" || options === "" ? [] : options.split(",").filter((pair) => pair !== "");
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const given = at < 0 ? pair : pair.slice(0, at);
    const found = optionOf(given);
    if (!found) throw new ApiError(422, `${nameToShow(given, "an option")} is not a known option`);
    parsed.concerns.add(found.option.concern ?? "other");
    const value = pair.slice(at + 1);
    found.option.read(parsed, percentDecoded(value) ?? value, found.name);
  }
  return parsed;
}

function askedOf({ source }: Spelled, parsed: Parsed): Asked {
  const { format, presets, concerns, wantsFacts, redirects, expires } = parsed;
  const width = scaled("width", parsed.width, parsed.dpr);
  return {
    source,
    presets,
    concerns,
    width,
    ...(width === undefined && parsed.isWidthHinted && { sizedTo: sizerOf(parsed) }),
    format,
    expires,
    wantsFacts,
    redirects,
    variant: "",
    fileName: undefined,
    isAttachment: false,
    body: merged(parsed.json, bodyOf(parsed, width)),
  };
}

/** For a width in pixels of the screen, which no density is laid over. */
function sizerOf(parsed: Parsed): (width: number) => object {
  const height = scaled("height", parsed.height, parsed.dpr);
  return (width) => resizeOf(parsed, width, height) ?? {};
}

function scaled(name: string, side: number | undefined, dpr: number): number | undefined {
  if (side === undefined) return undefined;
  const pixels = Math.max(1, Math.round(side * dpr));
  if (pixels > MAX_SIDE_PIXELS) throw new ApiError(422, `${name} times dpr must be at most ${MAX_SIDE_PIXELS}`);
  return pixels;
}

/** The request's members; what changes nothing is left out, so that every spelling gives the same. */
function bodyOf(parsed: Parsed, width: number | undefined): DerivationBody {
  const { background, blur, sharpen, angle, flip, format, isStill, metadata, quality, compression } = parsed;
  const resize = resizeOf(parsed, width, scaled("height", parsed.height, parsed.dpr));
  const tone = Object.fromEntries(Object.entries(parsed.tone).filter(([, value]) => value !== 1));
  const filter = { ...(Object.keys(tone).length > 0 && { tone }), ...(blur > 0 && { blur: { value: blur } }) };
  const optimize = { ...compression, ...quality };
  const trim = trimOf(parsed.trim, parsed.dpr);
  const output = {
    ...outputOf(format),
    ...(isStill && { animation: false }),
    ...(metadata !== "none" && { metadata }),
  };
  return {
    ...(trim && { trim }),
    ...(flip !== "" && { flip: { horizontal: flip.includes("h"), vertical: flip.includes("v") } }),
    ...(angle !== 0 && { rotate: { angle } }),
    ...(resize && { resize }),
    ...(sharpen > 0 && { adjust: { sharpen } }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(background !== undefined && { background: { color: background } }),
    ...(Object.keys(output).length > 0 && { output }),
    ...(Object.keys(optimize).length > 0 && { optimize }),
  };
}

function outputOf(format: Parsed["format"]): object {
  return format === "auto" ? {} : (ADDRESS_FORMATS.get(format) ?? {});
}

function resizeOf({ fit, place, background }: Parsed, width?: number, height?: number): object | undefined {
  if (width === undefined && height === undefined) return undefined;
  const size = { ...(width !== undefined && { width }), ...(height !== undefined && { height }) };
  const shrinks = fit === "scale-down" || fit === "crop";
  const inside = shrinks ? { ...size, upscale: false } : size;
  // What would fill both sides has only one to fill.
  if (width === undefined || height === undefined) return inside;
  switch (fit) {
    case "scale-down":
    case "contain":
      return inside;
    case "cover":
    case "crop":
      return { ...inside, mode: "fit", ...place };
    case "pad":
      return { ...size, mode: "fill", ...(background !== undefined && { background }) };
    case "squeeze":
      return { ...size, mode: "exact" };
  }
}
