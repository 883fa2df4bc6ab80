/**
 * `<signature>/<options>/<source>` as imgproxy's open edition has it, `rs:fill:300:400/q:80/plain/https://…@webp`: the
 * options that have a meaning here, https://docs.imgproxy.net/usage/processing.
 */
import { DELIVERY_FORMATS, type DeliveryFormat } from "../../contract/deliveries.ts";
import { ApiError } from "../../errors.ts";
import { withoutEnd } from "../../without-end.ts";
import { type Asked, type DerivationBody, type Dialect, type Spelled } from "../asked.ts";
import { mended } from "../sources.ts";
import { cropOf, paddingOf, resizeOf, scaled } from "./imgproxy-geometry.ts";
import { IMGPROXY_OPTIONS } from "./imgproxy-options.ts";
import { newWish, type Wish } from "./imgproxy-wish.ts";

const UNSIGNED = "unsafe";
/** Formats whose files can be of high dynamic range, and the one that is chosen among such. */
const HOLD_GAIN_MAPS: ReadonlySet<DeliveryFormat | "auto"> = new Set(["auto", "jpeg", "avif"]);

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

function percentDecoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function base64Decoded(text: string): string | undefined {
  try {
    const bytes = Uint8Array.fromBase64(withoutEnd(text, "="), { alphabet: "base64url" });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function gathered(options: string): Wish {
  const wish = newWish();
  for (const segment of options === "" ? [] : options.split("/")) {
    const [given = "", ...values] = segment.split(":");
    const option = IMGPROXY_OPTIONS.get(given);
    if (!option) throw new ApiError(422, `${/^[\w-]{1,32}$/.test(given) ? given : "an option"} is not a known option`);
    option.read(wish, values, option.name);
  }
  return wish;
}

function askedOf({ source }: Spelled, wish: Wish): Asked {
  const { presets, concerns, expires, variant, fileName, isAttachment } = wish;
  const width = scaled("width", wish.width, wish);
  return {
    source,
    presets,
    concerns,
    width,
    format: formatOf(wish),
    expires,
    variant,
    fileName,
    isAttachment,
    wantsFacts: false,
    redirects: false,
    body: bodyOf(wish),
  };
}

/** @throws ApiError 422 when it is none that results can have */
function formatOf({ format }: Wish): DeliveryFormat | "auto" {
  if (format === undefined) return "auto";
  const word = format === "jpg" ? "jpeg" : format;
  const known = DELIVERY_FORMATS.find((one) => one === word && one !== "baseline-jpeg");
  if (known === undefined) throw new ApiError(422, "format must be one of jpg, png, webp, avif, jxl, gif");
  return known;
}

/** The request's members; what changes nothing is left out, so that every spelling gives the same. */
function bodyOf(wish: Wish): DerivationBody {
  const { angle, flip, background, blur, sharpen, cell } = wish;
  const format = formatOf(wish);
  const padding = paddingOf(wish);
  const filter = {
    ...(blur > 0 && { blur: { value: blur } }),
    ...(cell > 1 && { pixellate: { value: cell } }),
  };
  const optimize = optimizeOf(wish, format);
  const metadata = wish.strips ? wish.keepsCopyright && "copyright" : "all";
  const output = {
    ...(format !== "auto" && { format }),
    ...(metadata && { metadata }),
    ...(wish.keepsProfile && { profile: "keep" as const }),
    ...(wish.keepsHdr && HOLD_GAIN_MAPS.has(format) && { hdr: "keep" as const }),
  };
  return {
    ...(wish.trim && { trim: wish.trim }),
    ...((flip.horizontal || flip.vertical) && { flip }),
    ...(angle !== 0 && { rotate: { angle } }),
    ...cropOf(wish),
    ...resizeOf(wish),
    ...(sharpen > 0 && { adjust: { sharpen } }),
    ...(Object.keys(filter).length > 0 && { filter }),
    ...(padding && { padding }),
    ...(background !== undefined && { background: { color: background } }),
    ...(Object.keys(output).length > 0 && { output }),
    ...(optimize && { optimize }),
  };
}

/** A size before a quality, and of the qualities that of the format. */
function optimizeOf(wish: Wish, format: DeliveryFormat | "auto"): DerivationBody["optimize"] {
  if (wish.maxBytes > 0) return { target_bytes: wish.maxBytes };
  const { formatQualities } = wish;
  if (formatQualities.size > 0 && format === "auto") throw new ApiError(422, "format_quality needs a format");
  const quality = formatQualities.get(format) ?? wish.quality;
  return quality > 0 ? { quality } : undefined;
}
