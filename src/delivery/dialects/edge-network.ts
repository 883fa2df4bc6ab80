/**
 * `<options>/<source>`: options as the edge network has them, `width=400,fit=cover`, and a few of ours. Their meaning is
 * that of https://developers.cloudflare.com/images/transform-images/transform-via-url/.
 */
import { DELIVERY_FORMATS, type DeliveryFormat } from "../../contract/deliveries.ts";
import { plainBody } from "../../contract/request.ts";
import { ApiError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { MAX_SIDE_PIXELS } from "../../limits.ts";
import {
  type Asked,
  type Concern,
  type DerivationBody,
  type Dialect,
  notOffered,
  number,
  type Spelled,
  whole,
} from "../asked.ts";
import { cssColor } from "../css-color.ts";
import { merged } from "../merge.ts";
import { plainSource } from "../sources.ts";

type Fit = "scale-down" | "contain" | "cover" | "crop" | "pad" | "squeeze";

/** What options say, gathered one by one. */
interface Wish {
  width?: number;
  height?: number;
  dpr: number;
  fit: Fit;
  /** Members of `resize` that say what is kept. */
  place: Readonly<Record<string, unknown>>;
  background?: string;
  blur: number;
  sharpen: number;
  tone: Record<string, number>;
  angle: number;
  flip: string;
  format: DeliveryFormat | "auto";
  /** The first frame of an animation alone. */
  isStill: boolean;
  wantsFacts: boolean;
  quality: Readonly<Record<string, unknown>>;
  compression: Readonly<Record<string, unknown>>;
  json: DerivationBody;
  presets: string[];
  redirects: boolean;
  expires?: number;
  readonly concerns: Set<Concern>;
}

interface Option {
  readonly concern?: Concern;
  readonly read: (wish: Wish, value: string, name: string) => void;
}

const FITS: readonly string[] = ["scale-down", "contain", "cover", "crop", "pad", "squeeze"] satisfies Fit[];
const SIDES: readonly string[] = ["left", "right", "top", "bottom"];
/** Words for a quality, as the presets that promise as much. */
const QUALITY_WORDS: Readonly<Record<string, string>> = {
  high: "low",
  "medium-high": "medium",
  "medium-low": "high",
  low: "ultra",
};
const COMPRESSIONS: readonly string[] = ["low", "medium", "high", "ultra", "lossless"];
/** What `compression=fast` encodes at instead of searching. */
const FAST_QUALITY = 80;
/** Standard deviations of a blur in its radius, so that the strongest, 250, is the strongest that the engine has. */
const SIGMAS_PER_RADIUS = 0.4;
/** The engine's hundredths in one step of `sharpen`. */
const SHARPEN_STEP = 10;
const MAX_FACTOR = 10;
const MIN_GAMMA = 0.1;
/** The last second that a date can have. */
const MAX_SECONDS = 8_640_000_000_000;

/** A factor; the edge network passes over 0. */
function factor(member: string, min: number): Option {
  return {
    read: (wish, value, name) => {
      const found = number(name, value, 0, MAX_FACTOR);
      if (found === 0 && min > 0) return;
      wish.tone[member] = Math.max(min, found);
    },
  };
}

function side(member: "width" | "height"): Option {
  return {
    concern: member === "width" ? "width" : "other",
    read: (wish, value, name) => {
      if (value !== "auto") wish[member] = whole(name, value, 1, MAX_SIDE_PIXELS);
    },
  };
}

const OPTIONS: Readonly<Record<string, Option>> = {
  width: side("width"),
  height: side("height"),
  dpr: { concern: "width", read: (wish, value, name) => (wish.dpr = number(name, value, 0.1, 4)) },
  fit: { concern: "fit", read: (wish, value) => (wish.fit = FITS.includes(value) ? (value as Fit) : "scale-down") },
  gravity: { concern: "gravity", read: (wish, value, name) => (wish.place = placeOf(name, value)) },
  quality: { concern: "quality", read: (wish, value, name) => (wish.quality = qualityOf(name, value)) },
  format: { concern: "format", read: readFormat },
  compression: {
    read: (wish, value) => {
      if (value === "fast") wish.compression = { quality: FAST_QUALITY };
      else if (COMPRESSIONS.includes(value)) wish.compression = { compression: value };
    },
  },
  background: {
    read: (wish, value) => {
      const color = cssColor(value);
      if (color !== undefined) wish.background = color;
    },
  },
  blur: { read: (wish, value, name) => (wish.blur = number(name, value, 0, 250) * SIGMAS_PER_RADIUS) },
  brightness: factor("brightness", Number.EPSILON),
  contrast: factor("contrast", Number.EPSILON),
  gamma: factor("gamma", MIN_GAMMA),
  saturation: factor("saturation", 0),
  sharpen: { read: (wish, value, name) => (wish.sharpen = Math.round(number(name, value, 0, 10) * SHARPEN_STEP)) },
  rotate: {
    read: (wish, value, name) => {
      if (!["0", "90", "180", "270", "360"].includes(value)) throw new ApiError(422, `${name} must be 90, 180 or 270`);
      wish.angle = Number(value) % 360;
    },
  },
  flip: { read: (wish, value) => (wish.flip = /^(?:h|v|hv|vh)$/.test(value) ? value : "") },
  trim: {
    read: (_, __, name) => {
      throw notOffered(name);
    },
  },
  metadata: {
    read: (_, value, name) => {
      if (value === "copyright" || value === "keep") throw notOffered(`${name}=${value}`);
    },
  },
  anim: {
    read: (wish, value) => (wish.isStill = value === "false"),
  },
  onerror: { read: (wish, value) => (wish.redirects = value === "redirect") },
  preset: { concern: "preset", read: (wish, value) => (wish.presets = [value]) },
  json: { read: (wish, value, name) => (wish.json = jsonOf(name, value)) },
  exp: { read: (wish, value, name) => (wish.expires = whole(name, value, 0, MAX_SECONDS)) },
};

const SHORT: Readonly<Record<string, string>> = {
  w: "width",
  h: "height",
  g: "gravity",
  q: "quality",
  f: "format",
  p: "preset",
};

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

function gathered(options: string): Wish {
  const wish: Wish = {
    dpr: 1,
    fit: "scale-down",
    place: {},
    blur: 0,
    sharpen: 0,
    tone: {},
    angle: 0,
    flip: "",
    format: "auto",
    isStill: false,
    wantsFacts: false,
    quality: {},
    compression: {},
    json: {},
    presets: [],
    redirects: false,
    concerns: new Set(),
  };
  const pairs = options === "-" || options === "" ? [] : options.split(",").filter((pair) => pair !== "");
  for (const pair of pairs) {
    const at = pair.indexOf("=");
    const given = at < 0 ? pair : pair.slice(0, at);
    const name = SHORT[given] ?? given;
    const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
    if (!option) throw new ApiError(422, `${shown(given)} is not a known option`);
    wish.concerns.add(option.concern ?? "other");
    option.read(wish, decoded(pair.slice(at + 1)), name);
  }
  return wish;
}

/** Names of options are shown when they look like names, so that an address cannot carry other text out. */
function shown(name: string): string {
  return /^[\w-]{1,32}$/.test(name) ? name : "an option";
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

function placeOf(name: string, value: string): Wish["place"] {
  if (SIDES.includes(value)) return { gravity: value };
  if (value === "face") return { gravity: "face" };
  // Faces first; the middle where there are none.
  if (value === "auto") return { gravity: "faces" };
  const [, x, y] = /^([\d.]+)x([\d.]+)$/.exec(value) ?? [];
  if (x === undefined || y === undefined) return {};
  return { position: { x: number(name, x, 0, 1), y: number(name, y, 0, 1) } };
}

function qualityOf(name: string, value: string): Wish["quality"] {
  if (/^-?[\d.]+$/.test(value)) return { quality: whole(name, value, 1, 100) };
  const preset = Object.hasOwn(QUALITY_WORDS, value) ? QUALITY_WORDS[value] : undefined;
  return preset === undefined ? {} : { compression: preset };
}

function readFormat(wish: Wish, value: string, name: string): void {
  if (value === "jxl") throw notOffered(`${name}=jxl`);
  wish.wantsFacts = value === "json";
  if (wish.wantsFacts) wish.concerns.add("other");
  const word = value === "jpg" ? "jpeg" : value;
  wish.format = DELIVERY_FORMATS.find((known) => known === word) ?? "auto";
}

function jsonOf(name: string, value: string): DerivationBody {
  let bytes: Uint8Array;
  try {
    bytes = Uint8Array.fromBase64(value.replace(/=+$/, ""), { alphabet: "base64url" });
  } catch {
    throw new ApiError(422, `${name} must be a JSON object in base64url`);
  }
  return plainBody(parseJsonObject(bytes, name)) as DerivationBody;
}

function askedOf({ source }: Spelled, wish: Wish): Asked {
  const { format, presets, concerns, wantsFacts, redirects, expires } = wish;
  const width = scaled("width", wish.width, wish.dpr);
  return {
    source,
    presets,
    concerns,
    width,
    format,
    expires,
    wantsFacts,
    redirects,
    variant: "",
    fileName: undefined,
    isAttachment: false,
    body: merged(wish.json, bodyOf(wish, width)),
  };
}

function scaled(name: string, side: number | undefined, dpr: number): number | undefined {
  if (side === undefined) return undefined;
  const pixels = Math.max(1, Math.round(side * dpr));
  if (pixels > MAX_SIDE_PIXELS) throw new ApiError(422, `${name} times dpr must be at most ${MAX_SIDE_PIXELS}`);
  return pixels;
}

/** The request's members; what changes nothing is left out, so that every spelling gives the same. */
function bodyOf(wish: Wish, width: number | undefined): DerivationBody {
  const { background, blur, sharpen, angle, flip, format, isStill, quality, compression } = wish;
  const resize = resizeOf(wish, width, scaled("height", wish.height, wish.dpr));
  const tone = Object.fromEntries(Object.entries(wish.tone).filter(([, value]) => value !== 1));
  const filter = { ...(Object.keys(tone).length > 0 && { tone }), ...(blur > 0 && { blur: { value: blur } }) };
  const optimize = { ...compression, ...quality };
  const output = { ...outputOf(format), ...(isStill && { animation: false }) };
  return {
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

function outputOf(format: Wish["format"]): object {
  if (format === "auto") return {};
  return format === "baseline-jpeg" ? { format: "jpeg", encoding: "baseline" } : { format };
}

function resizeOf({ fit, place, background }: Wish, width?: number, height?: number): object | undefined {
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
