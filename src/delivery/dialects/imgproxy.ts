/**
 * `<signature>/<options>/<source>` as imgproxy's open edition has it, `rs:fill:300:400/q:80/plain/https://…@webp`: the
 * options that have a meaning here, https://docs.imgproxy.net/usage/processing.
 */
import { GAIN_MAP_FORMATS, LISTED_FORMATS, type ListedFormat } from "../../contract/format-lists.ts";
import { ApiError, nameToShow } from "../../errors.ts";
import { percentDecoded } from "../../percent.ts";
import { withoutEnd } from "../../without-end.ts";
import { type Asked, type DerivationBody, type Dialect, type Spelled } from "../asked.ts";
import { mended } from "../sources.ts";
import { cropOf, paddingOf, resizeOf, scaled } from "./imgproxy-geometry.ts";
import { IMGPROXY_OPTIONS } from "./imgproxy-options.ts";
import { emptyParsed, type Parsed } from "./imgproxy-parsed.ts";

const UNSIGNED = "unsafe";
/** Formats whose files can be of high dynamic range, and the one that is chosen among such. */
const HOLD_GAIN_MAPS: ReadonlySet<ListedFormat | "auto"> = new Set(["auto", ...GAIN_MAP_FORMATS]);

export const imgproxy: Dialect = {
  expiredStatus: 404,
  split(path) {
    // imgproxy reads no query.
    const [, signature, rest] = /^\/([^/?]+)(\/[^?]+)/.exec(path) ?? [];
    if (signature === undefined || rest === undefined) return undefined;
    const segments = rest.slice(1).split("/");
    const end = segments.findIndex((segment) => !segment.includes(":"));
    if (end < 0) return undefined;
    const { source, extension } = sourceOf(segments.slice(end));
    const options = [...segments.slice(0, end), ...(extension === undefined ? [] : [`ext:${extension}`])];
    return {
      signature: signature === UNSIGNED ? undefined : signature,
      signed: rest,
      options: options.join("/"),
      source,
    };
  },
  read(spelled) {
    return askedOf(spelled, gathered(spelled.options));
  },
};

/** `plain/<source>@<extension>`, or the source in base64url, in any number of segments, `.<extension>`. */
function sourceOf(segments: readonly string[]): { source: string | undefined; extension: string | undefined } {
  const isPlain = segments[0] === "plain";
  const text = isPlain ? segments.slice(1).join("/") : segments.join("");
  const [spelled = "", extension, ...more] = text.split(isPlain ? "@" : ".");
  if (more.length > 0) return { source: undefined, extension: undefined };
  const source = isPlain ? percentDecoded(spelled) : base64Decoded(spelled);
  return { source: source === undefined ? undefined : mended(source), extension: extension || undefined };
}

function base64Decoded(text: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(withoutEnd(text, "="), { alphabet: "base64url" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function gathered(options: string): Parsed {
  const parsed = emptyParsed();
  for (const segment of options === "" ? [] : options.split("/")) {
    const [given = "", ...values] = segment.split(":");
    const option = IMGPROXY_OPTIONS.get(given);
    if (!option) throw new ApiError(422, `${nameToShow(given, "an option")} is not a known option`);
    option.read(parsed, values, option.name);
  }
  return parsed;
}

function askedOf({ source }: Spelled, parsed: Parsed): Asked {
  const { presets, concerns, expires, variant, fileName, isAttachment } = parsed;
  const width = scaled("width", parsed.width, parsed);
  return {
    source,
    presets,
    concerns,
    width,
    format: formatOf(parsed),
    expires,
    variant,
    fileName,
    isAttachment,
    wantsFacts: false,
    redirects: false,
    body: bodyOf(parsed),
  };
}

/** @throws ApiError 422 when it is none that results can have */
function formatOf({ format }: Parsed): ListedFormat | "auto" {
  if (format === undefined) return "auto";
  const word = format === "jpg" ? "jpeg" : format;
  const known = LISTED_FORMATS.find((one) => one === word);
  if (known === undefined) throw new ApiError(422, `format must be one of ${LISTED_FORMATS.join(", ")}`);
  return known;
}

/** The request's members; what changes nothing is left out, so that every spelling gives the same. */
function bodyOf(parsed: Parsed): DerivationBody {
  const { angle, isAsStored, background, blur, sharpen, cell } = parsed;
  const flip = flipOf(parsed);
  const format = formatOf(parsed);
  const padding = paddingOf(parsed);
  const filter = {
    ...(blur > 0 && { blur: { value: blur } }),
    ...(cell > 1 && { pixellate: { value: cell } }),
  };
  const optimize = optimizeOf(parsed, format);
  const metadata = parsed.strips ? parsed.keepsCopyright && "copyright" : "all";
  const output = {
    ...(format !== "auto" && { format }),
    ...(metadata && { metadata }),
    ...(parsed.keepsProfile && { profile: "keep" as const }),
    ...(parsed.keepsHdr && HOLD_GAIN_MAPS.has(format) && { hdr: "keep" as const }),
  };
  return {
    ...(parsed.trim && { trim: parsed.trim }),
    ...((flip.horizontal || flip.vertical) && { flip }),
    ...((angle !== 0 || isAsStored) && { rotate: { angle, ...(isAsStored && { upright: false }) } }),
    ...cropOf(parsed),
    ...resizeOf(parsed),
    ...(sharpen > 0 && { adjust: { sharpen } }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(padding && { padding }),
    ...(background !== undefined && { background: { color: background } }),
    ...(Object.keys(output).length > 0 && { output }),
    ...(optimize && { optimize }),
  };
}

/** The flip before the turn that does what is asked for behind it. */
function flipOf({ angle, flip: { horizontal, vertical } }: Parsed): Parsed["flip"] {
  return angle % 180 === 0 ? { horizontal, vertical } : { horizontal: vertical, vertical: horizontal };
}

/** A size before a quality, and of the qualities that of the format. */
function optimizeOf(parsed: Parsed, format: ListedFormat | "auto"): DerivationBody["optimize"] {
  if (parsed.maxBytes > 0) return { target_bytes: parsed.maxBytes };
  const { formatQualities } = parsed;
  if (formatQualities.size > 0 && format === "auto") throw new ApiError(422, "format_quality needs a format");
  const quality = formatQualities.get(format) ?? parsed.quality;
  return quality > 0 ? { quality } : undefined;
}
