/** The options of imgproxy's dialect, one row each, under all their names. */
import { ApiError } from "../../errors.ts";
import { MAX_CHAINED_PRESETS, MAX_EXPIRES_SECONDS } from "../../limits/delivery.ts";
import { MAX_SIDE_PIXELS, MAX_TARGET_BYTES } from "../../limits/pictures.ts";
import { notOffered, number, whole } from "../asked.ts";
import { cssColor } from "../css-color.ts";
import type { Parsed } from "./imgproxy-parsed.ts";
import { direction, isTrue, placeOf, readCrop, readFileName } from "./imgproxy-values.ts";

export interface ImgproxyOption {
  /** The long name. */
  readonly name: string;
  readonly read: (parsed: Parsed, values: readonly string[], name: string) => void;
}

const RESIZING_TYPES = ["fit", "fill", "fill-down", "force", "auto"] as const;
const MAX_FACTOR = 10;
const MAX_PADDING_PIXELS = 10_000;
/** The engine's largest threshold of `trim`. */
const MAX_THRESHOLD = 255;
const MAX_SIGMA = 100;
const MAX_DEGREES = 3_600;
/** Standard deviations that imgproxy's own masks are made with, and the engine's hundredths in one of them. */
const MAX_SHARPEN_SIGMA = 10;
const SHARPEN_PER_SIGMA = 50;
const MAX_VARIANT_CHARACTERS = 256;

const width = row("width", ["w"], (parsed, [value = ""], name) => {
  if (value === "") return;
  const found = whole(name, value, 0, MAX_SIDE_PIXELS);
  parsed.width = found === 0 ? undefined : found;
  if (found > 0) parsed.concerns.add("width");
});

const height = row("height", ["h"], (parsed, [value = ""], name) => {
  if (value === "") return;
  const found = whole(name, value, 0, MAX_SIDE_PIXELS);
  parsed.height = found === 0 ? undefined : found;
  if (found > 0) parsed.concerns.add("height");
});

const enlarge = row("enlarge", ["el"], (parsed, [value = ""]) => {
  if (value === "") return;
  parsed.enlarges = isTrue(value);
  if (parsed.enlarges) parsed.concerns.add("fit");
});

const extend = row("extend", ["ex"], (parsed, [value = "", ...gravity], name) => {
  if (value === "") return;
  parsed.extends = isTrue(value);
  if (!parsed.extends) return;
  parsed.concerns.add("other");
  parsed.extendPlace = direction(`${name} gravity`, gravity);
});

const resizingType = row("resizing_type", ["rt"], (parsed, [value = ""], name) => {
  if (value === "") return;
  const known = RESIZING_TYPES.find((type) => type === value);
  if (known === undefined) throw new ApiError(422, `${name} must be one of ${RESIZING_TYPES.join(", ")}`);
  parsed.resizing = known;
  if (value !== "fit") parsed.concerns.add("fit");
});

const size = row("size", ["s"], (parsed, [w = "", h = "", el = "", ex = "", ...gravity]) => {
  width.read(parsed, [w], width.name);
  height.read(parsed, [h], height.name);
  enlarge.read(parsed, [el], enlarge.name);
  extend.read(parsed, [ex, ...gravity], extend.name);
});

const ROWS = [
  row("resize", ["rs"], (parsed, [type = "", ...values]) => {
    resizingType.read(parsed, [type], resizingType.name);
    size.read(parsed, values, size.name);
  }),
  size,
  resizingType,
  width,
  height,
  row("min-width", ["min_width", "mw"], least("leastWidth")),
  row("min-height", ["min_height", "mh"], least("leastHeight")),
  row("zoom", ["z"], (parsed, [x = "1", y = x], name) => {
    [parsed.zoomX, parsed.zoomY] = [number(name, x, 0.01, MAX_FACTOR), number(name, y, 0.01, MAX_FACTOR)];
    if (parsed.zoomX !== 1 || parsed.zoomY !== 1) parsed.concerns.add("other");
  }),
  row("dpr", [], (parsed, [value = "1"], name) => {
    parsed.dpr = number(name, value, 0.1, MAX_FACTOR);
    if (parsed.dpr !== 1) parsed.concerns.add("width");
  }),
  enlarge,
  extend,
  row("extend_aspect_ratio", ["extend_ar", "exar"], (parsed, [value = "", ...gravity], name) => {
    parsed.extendsRatio = isTrue(value);
    if (!parsed.extendsRatio) return;
    parsed.concerns.add("other");
    parsed.extendRatioPlace = direction(`${name} gravity`, gravity);
  }),
  row("gravity", ["g"], (parsed, values, name) => {
    parsed.place = placeOf(name, values);
    parsed.concerns.add("gravity");
  }),
  row("crop", ["c"], readCrop),
  row("trim", ["t"], (parsed, [value = "", color = "", equalHorizontal = "", equalVertical = ""], name) => {
    if (value === "") return;
    const isEqual = { horizontal: isTrue(equalHorizontal), vertical: isTrue(equalVertical) };
    const equal = isEqual.horizontal ? (isEqual.vertical ? "both" : "horizontal") : isEqual.vertical && "vertical";
    const background = color === "" ? undefined : cssColor(`#${color}`);
    if (color !== "" && background === undefined) throw new ApiError(422, `${name} must have a hex color`);
    parsed.trim = {
      threshold: number(name, value, 0, MAX_THRESHOLD),
      ...(background !== undefined && { color: background }),
      ...(equal !== false && { equal }),
    };
    parsed.concerns.add("other");
  }),
  row("padding", ["pd"], (parsed, values, name) => {
    const [top = 0, right = top, bottom = top, left = right] = values.map((value) =>
      value === "" ? undefined : whole(name, value, 0, MAX_PADDING_PIXELS),
    );
    parsed.padding = [top, right, bottom, left];
    parsed.concerns.add("other");
  }),
  row("auto_rotate", ["ar"], (parsed, [value = ""]) => {
    if (value === "") return;
    parsed.isAsStored = !isTrue(value);
    if (parsed.isAsStored) parsed.concerns.add("other");
  }),
  row("rotate", ["rot"], (parsed, [value = "0"], name) => {
    const angle = whole(name, value, -MAX_DEGREES, MAX_DEGREES);
    if (angle % 90 !== 0) throw new ApiError(422, `${name} must be a multiple of 90`);
    parsed.angle = ((angle % 360) + 360) % 360;
    if (parsed.angle !== 0) parsed.concerns.add("other");
  }),
  row("flip", ["fl"], (parsed, [horizontal = "", vertical = ""]) => {
    parsed.flip = { horizontal: isTrue(horizontal), vertical: isTrue(vertical) };
    parsed.concerns.add("other");
  }),
  row("background", ["bg"], (parsed, values, name) => {
    if (values.join("") === "") return;
    const color = values.length >= 3 ? `rgb(${values.slice(0, 3).join(" ")})` : `#${values[0]}`;
    parsed.background = cssColor(color);
    if (parsed.background === undefined) throw new ApiError(422, `${name} must be R:G:B or a hex color`);
    parsed.concerns.add("other");
  }),
  row("blur", ["bl"], (parsed, [value = "0"], name) => {
    parsed.blur = number(name, value, 0, MAX_SIGMA);
    if (parsed.blur > 0) parsed.concerns.add("blur");
  }),
  row("sharpen", ["sh"], (parsed, [value = "0"], name) => {
    parsed.sharpen = Math.min(100, Math.round(number(name, value, 0, MAX_SHARPEN_SIGMA) * SHARPEN_PER_SIGMA));
    if (parsed.sharpen > 0) parsed.concerns.add("other");
  }),
  row("pixelate", ["pix"], (parsed, [value = "0"], name) => {
    parsed.cell = whole(name, value, 0, MAX_SIGMA);
    if (parsed.cell > 1) parsed.concerns.add("other");
  }),
  row("strip_metadata", ["sm"], (parsed, [value = ""]) => {
    parsed.strips = value === "" || isTrue(value);
    if (!parsed.strips) parsed.concerns.add("other");
  }),
  row("keep_copyright", ["kcr"], (parsed, [value = ""]) => {
    parsed.keepsCopyright = isTrue(value);
    if (parsed.keepsCopyright) parsed.concerns.add("other");
  }),
  row("strip_color_profile", ["scp"], (parsed, [value = ""]) => {
    parsed.keepsProfile = value !== "" && !isTrue(value);
    if (parsed.keepsProfile) parsed.concerns.add("other");
  }),
  // A small picture inside a file spares imgproxy time; here the picture itself is decoded at the size that is needed.
  row("enforce_thumbnail", ["eth"], () => undefined),
  row("skip_processing", ["skp"], refusedUnless()),
  row("raw", [], refusedUnless("0", "f", "false")),
  row("preserve_hdr", ["ph"], (parsed, [value = ""]) => {
    parsed.keepsHdr = isTrue(value);
    if (parsed.keepsHdr) parsed.concerns.add("other");
  }),
  row("quality", ["q"], (parsed, [value = "0"], name) => {
    parsed.quality = whole(name, value, 0, 100);
    if (parsed.quality > 0) parsed.concerns.add("quality");
  }),
  row("format_quality", ["fq"], (parsed, values, name) => {
    for (let at = 0; at + 1 < values.length; at += 2) {
      const format = values[at] === "jpg" ? "jpeg" : (values[at] ?? "");
      parsed.formatQualities.set(format, whole(name, values[at + 1] ?? "", 1, 100));
    }
    parsed.concerns.add("other");
  }),
  row("max_bytes", ["mb"], (parsed, [value = "0"], name) => {
    parsed.maxBytes = whole(name, value, 0, MAX_TARGET_BYTES);
    if (parsed.maxBytes > 0) parsed.concerns.add("other");
  }),
  row("format", ["f", "ext"], (parsed, [value = ""]) => {
    if (value === "") return;
    parsed.format = value;
    parsed.concerns.add("format");
  }),
  row("cachebuster", ["cb"], (parsed, values) => {
    parsed.variant = values.join(":").slice(0, MAX_VARIANT_CHARACTERS);
    parsed.concerns.add("other");
  }),
  row("expires", ["exp"], (parsed, [value = ""], name) => {
    parsed.expires = whole(name, value, 0, MAX_EXPIRES_SECONDS);
    parsed.concerns.add("other");
  }),
  row("filename", ["fn"], readFileName),
  row("return_attachment", ["att"], (parsed, [value = ""]) => {
    parsed.isAttachment = isTrue(value);
    if (parsed.isAttachment) parsed.concerns.add("other");
  }),
  row("preset", ["pr"], (parsed, values, name) => {
    parsed.presets = [...parsed.presets, ...values.filter((value) => value !== "")];
    if (parsed.presets.length > MAX_CHAINED_PRESETS) {
      throw new ApiError(422, `${name} must name at most ${MAX_CHAINED_PRESETS} presets`);
    }
    parsed.concerns.add("preset");
  }),
] as const;

/** Every option by each of its names. */
export const IMGPROXY_OPTIONS: ReadonlyMap<string, ImgproxyOption> = new Map(
  ROWS.flatMap((option) => [option.name, ...option.short].map((name) => [name, option] as const)),
);

function row(name: string, short: readonly string[], read: ImgproxyOption["read"]) {
  return { name, short, read };
}

function least(member: "leastWidth" | "leastHeight"): ImgproxyOption["read"] {
  return (parsed, [value = ""], name) => {
    parsed[member] = value === "" ? 0 : whole(name, value, 0, MAX_SIDE_PIXELS);
    if (parsed[member] > 0) parsed.concerns.add("other");
  };
}

/** An option of which only these values mean something here. */
function refusedUnless(...fine: readonly string[]): ImgproxyOption["read"] {
  return (_, [value = ""], name) => {
    if (value !== "" && !fine.includes(value)) throw notOffered(`${name}:${/^\w{1,16}$/.test(value) ? value : "…"}`);
  };
}
