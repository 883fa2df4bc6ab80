/** The options of the edge network's dialect, one row each, under their long names. */
import { DELIVERY_FORMATS } from "../../contract/deliveries.ts";
import { plainBody } from "../../contract/request.ts";
import { ApiError } from "../../errors.ts";
import { parseJsonObject } from "../../json.ts";
import { MAX_EXPIRES_SECONDS } from "../../limits/delivery.ts";
import { MAX_SIDE_PIXELS } from "../../limits/pictures.ts";
import { withoutEnd } from "../../without-end.ts";
import { type Concern, type DerivationBody, number, whole } from "../asked.ts";
import { cssColor } from "../css-color.ts";
import type { Fit, Parsed } from "./edge-network-parsed.ts";
import { TRIM_OPTIONS } from "./edge-network-trim.ts";

interface Option {
  readonly concern?: Concern;
  readonly read: (parsed: Parsed, value: string, name: string) => void;
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

/** A factor; the edge network passes over 0. */
function factor(member: string, min: number): Option {
  return {
    read: (parsed, value, name) => {
      const found = number(name, value, 0, MAX_FACTOR);
      if (found === 0 && min > 0) return;
      parsed.tone[member] = Math.max(min, found);
    },
  };
}

function side(member: "width" | "height"): Option {
  return {
    concern: member,
    read: (parsed, value, name) => {
      if (member === "width") parsed.isWidthHinted = value === "auto";
      if (value !== "auto") parsed[member] = whole(name, value, 1, MAX_SIDE_PIXELS);
    },
  };
}

const OPTIONS: Readonly<Record<string, Option>> = {
  width: side("width"),
  height: side("height"),
  dpr: { concern: "width", read: (parsed, value, name) => (parsed.dpr = number(name, value, 0.1, 4)) },
  fit: { concern: "fit", read: (parsed, value) => (parsed.fit = FITS.includes(value) ? (value as Fit) : "scale-down") },
  gravity: { concern: "gravity", read: (parsed, value, name) => (parsed.place = placeOf(name, value)) },
  quality: { concern: "quality", read: (parsed, value, name) => (parsed.quality = qualityOf(name, value)) },
  format: { concern: "format", read: readFormat },
  compression: {
    read: (parsed, value) => {
      if (value === "fast") parsed.compression = { quality: FAST_QUALITY };
      else if (COMPRESSIONS.includes(value)) parsed.compression = { compression: value };
    },
  },
  background: {
    read: (parsed, value) => {
      const color = cssColor(value);
      if (color !== undefined) parsed.background = color;
    },
  },
  blur: {
    concern: "blur",
    read: (parsed, value, name) => (parsed.blur = number(name, value, 0, 250) * SIGMAS_PER_RADIUS),
  },
  brightness: factor("brightness", Number.EPSILON),
  contrast: factor("contrast", Number.EPSILON),
  gamma: factor("gamma", MIN_GAMMA),
  saturation: factor("saturation", 0),
  sharpen: { read: (parsed, value, name) => (parsed.sharpen = Math.round(number(name, value, 0, 10) * SHARPEN_STEP)) },
  rotate: {
    read: (parsed, value, name) => {
      if (!["0", "90", "180", "270", "360"].includes(value)) throw new ApiError(422, `${name} must be 90, 180 or 270`);
      parsed.angle = Number(value) % 360;
    },
  },
  flip: { read: (parsed, value) => (parsed.flip = /^(?:h|v|hv|vh)$/.test(value) ? value : "") },
  ...TRIM_OPTIONS,
  metadata: {
    read: (parsed, value) => {
      if (value === "copyright") parsed.metadata = "copyright";
      else parsed.metadata = value === "keep" ? "all" : "none";
    },
  },
  anim: {
    read: (parsed, value) => (parsed.isStill = value === "false"),
  },
  onerror: { read: (parsed, value) => (parsed.redirects = value === "redirect") },
  preset: { concern: "preset", read: (parsed, value) => (parsed.presets = [value]) },
  json: { read: (parsed, value, name) => (parsed.json = jsonOf(name, value)) },
  exp: { read: (parsed, value, name) => (parsed.expires = whole(name, value, 0, MAX_EXPIRES_SECONDS)) },
};

const SHORT: Readonly<Record<string, string>> = {
  w: "width",
  h: "height",
  g: "gravity",
  q: "quality",
  f: "format",
  p: "preset",
};

/** An option with its long name, by either of its names. */
export function optionOf(given: string): { readonly name: string; readonly option: Option } | undefined {
  const name = SHORT[given] ?? given;
  const option = Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
  return option && { name, option };
}

function placeOf(name: string, value: string): Parsed["place"] {
  if (SIDES.includes(value)) return { gravity: value };
  if (value === "face") return { gravity: "face" };
  if (value === "auto") return { gravity: "auto" };
  const [, x, y] = /^([\d.]+)x([\d.]+)$/.exec(value) ?? [];
  if (x === undefined || y === undefined) return {};
  return { position: { x: number(name, x, 0, 1), y: number(name, y, 0, 1) } };
}

function qualityOf(name: string, value: string): Parsed["quality"] {
  if (/^-?[\d.]+$/.test(value)) return { quality: whole(name, value, 1, 100) };
  const preset = Object.hasOwn(QUALITY_WORDS, value) ? QUALITY_WORDS[value] : undefined;
  return preset === undefined ? {} : { compression: preset };
}

function readFormat(parsed: Parsed, value: string): void {
  parsed.wantsFacts = value === "json";
  if (parsed.wantsFacts) parsed.concerns.add("other");
  const word = value === "jpg" ? "jpeg" : value;
  parsed.format = DELIVERY_FORMATS.find((known) => known === word) ?? "auto";
}

function jsonOf(name: string, value: string): DerivationBody {
  let json: object;
  try {
    json = parseJsonObject(Uint8Array.fromBase64(withoutEnd(value, "="), { alphabet: "base64url" }), name);
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) throw error;
    // Without the error as the cause: it quotes what was sent.
    throw new ApiError(422, `${name} must be a JSON object in base64url`);
  }
  return plainBody(json) as DerivationBody;
}
