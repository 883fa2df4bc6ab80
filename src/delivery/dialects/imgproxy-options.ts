/** The options of imgproxy's dialect, one row each, under all their names. */
import { ApiError } from "../../errors.ts";
import { MAX_SIDE_PIXELS, MAX_TARGET_BYTES } from "../../limits.ts";
import { MAX_CHAINED_PRESETS } from "../../limits/delivery.ts";
import { notOffered, number, whole } from "../asked.ts";
import { cssColor } from "../css-color.ts";
import { direction, isTrue, placeOf, readCrop, readFileName } from "./imgproxy-values.ts";
import type { Wish } from "./imgproxy-wish.ts";

export interface ImgproxyOption {
  /** The long name. */
  readonly name: string;
  readonly read: (wish: Wish, values: readonly string[], name: string) => void;
}

const RESIZING_TYPES = ["fit", "fill", "fill-down", "force", "auto"] as const;
const MAX_FACTOR = 10;
const MAX_PADDING_PIXELS = 10_000;
/** The engine's largest threshold of `trim`. */
const MAX_THRESHOLD = 100;
const MAX_SIGMA = 100;
/** Standard deviations that imgproxy's own masks are made with, and the engine's hundredths in one of them. */
const MAX_SHARPEN_SIGMA = 10;
const SHARPEN_PER_SIGMA = 50;
const MAX_SECONDS = 8_640_000_000_000;
const MAX_VARIANT_CHARACTERS = 256;

const width = row("width", ["w"], (wish, [value = ""], name) => {
  if (value === "") return;
  const found = whole(name, value, 0, MAX_SIDE_PIXELS);
  wish.width = found === 0 ? undefined : found;
  if (found > 0) wish.concerns.add("width");
});

const height = row("height", ["h"], (wish, [value = ""], name) => {
  if (value === "") return;
  const found = whole(name, value, 0, MAX_SIDE_PIXELS);
  wish.height = found === 0 ? undefined : found;
  if (found > 0) wish.concerns.add("other");
});

const enlarge = row("enlarge", ["el"], (wish, [value = ""]) => {
  if (value === "") return;
  wish.enlarges = isTrue(value);
  if (wish.enlarges) wish.concerns.add("fit");
});

const extend = row("extend", ["ex"], (wish, [value = "", ...gravity], name) => {
  if (value === "") return;
  wish.extends = isTrue(value);
  if (!wish.extends) return;
  wish.concerns.add("other");
  wish.extendPlace = direction(`${name} gravity`, gravity);
});

const resizingType = row("resizing_type", ["rt"], (wish, [value = ""], name) => {
  if (value === "") return;
  const known = RESIZING_TYPES.find((type) => type === value);
  if (known === undefined) throw new ApiError(422, `${name} must be one of ${RESIZING_TYPES.join(", ")}`);
  wish.resizing = known;
  if (value !== "fit") wish.concerns.add("fit");
});

const size = row("size", ["s"], (wish, [w = "", h = "", el = "", ex = "", ...gravity]) => {
  width.read(wish, [w], width.name);
  height.read(wish, [h], height.name);
  enlarge.read(wish, [el], enlarge.name);
  extend.read(wish, [ex, ...gravity], extend.name);
});

const ROWS = [
  row("resize", ["rs"], (wish, [type = "", ...values]) => {
    resizingType.read(wish, [type], resizingType.name);
    size.read(wish, values, size.name);
  }),
  size,
  resizingType,
  width,
  height,
  row("min-width", ["min_width", "mw"], least("leastWidth")),
  row("min-height", ["min_height", "mh"], least("leastHeight")),
  row("zoom", ["z"], (wish, [x = "1", y = x], name) => {
    [wish.zoomX, wish.zoomY] = [number(name, x, 0.01, MAX_FACTOR), number(name, y, 0.01, MAX_FACTOR)];
    if (wish.zoomX !== 1 || wish.zoomY !== 1) wish.concerns.add("other");
  }),
  row("dpr", [], (wish, [value = "1"], name) => {
    wish.dpr = number(name, value, 0.1, MAX_FACTOR);
    if (wish.dpr !== 1) wish.concerns.add("width");
  }),
  enlarge,
  extend,
  row("extend_aspect_ratio", ["extend_ar", "exar"], (wish, [value = "", ...gravity], name) => {
    wish.extendsRatio = isTrue(value);
    if (!wish.extendsRatio) return;
    wish.concerns.add("other");
    wish.extendPlace = direction(`${name} gravity`, gravity);
  }),
  row("gravity", ["g"], (wish, values, name) => {
    wish.place = placeOf(name, values);
    wish.concerns.add("gravity");
  }),
  row("crop", ["c"], readCrop),
  row("trim", ["t"], (wish, [value = "", color = "", equalHorizontal = "", equalVertical = ""], name) => {
    if (value === "") return;
    const isEqual = { horizontal: isTrue(equalHorizontal), vertical: isTrue(equalVertical) };
    const equal = isEqual.horizontal ? (isEqual.vertical ? "both" : "horizontal") : isEqual.vertical && "vertical";
    const background = color === "" ? undefined : cssColor(`#${color}`);
    if (color !== "" && background === undefined) throw new ApiError(422, `${name} must have a hex color`);
    wish.trim = {
      threshold: number(name, value, 0, MAX_THRESHOLD),
      ...(background !== undefined && { color: background }),
      ...(equal !== false && { equal }),
    };
    wish.concerns.add("other");
  }),
  row("padding", ["pd"], (wish, values, name) => {
    const [top = 0, right = top, bottom = top, left = right] = values.map((value) =>
      value === "" ? undefined : whole(name, value, 0, MAX_PADDING_PIXELS),
    );
    wish.padding = [top, right, bottom, left];
    wish.concerns.add("other");
  }),
  row("auto_rotate", ["ar"], refusedUnless("1", "t", "true")),
  row("rotate", ["rot"], (wish, [value = "0"], name) => {
    const angle = whole(name, value, 0, 3_600);
    if (angle % 90 !== 0) throw new ApiError(422, `${name} must be a multiple of 90`);
    wish.angle = angle % 360;
    if (wish.angle !== 0) wish.concerns.add("other");
  }),
  row("flip", ["fl"], (wish, [horizontal = "", vertical = ""]) => {
    wish.flip = { horizontal: isTrue(horizontal), vertical: isTrue(vertical) };
    wish.concerns.add("other");
  }),
  row("background", ["bg"], (wish, values, name) => {
    if (values.join("") === "") return;
    const color = values.length >= 3 ? `rgb(${values.slice(0, 3).join(" ")})` : `#${values[0]}`;
    wish.background = cssColor(color);
    if (wish.background === undefined) throw new ApiError(422, `${name} must be R:G:B or a hex color`);
    wish.concerns.add("other");
  }),
  row("blur", ["bl"], (wish, [value = "0"], name) => {
    wish.blur = number(name, value, 0, MAX_SIGMA);
    if (wish.blur > 0) wish.concerns.add("other");
  }),
  row("sharpen", ["sh"], (wish, [value = "0"], name) => {
    wish.sharpen = Math.min(100, Math.round(number(name, value, 0, MAX_SHARPEN_SIGMA) * SHARPEN_PER_SIGMA));
    if (wish.sharpen > 0) wish.concerns.add("other");
  }),
  row("pixelate", ["pix"], (wish, [value = "0"], name) => {
    wish.cell = whole(name, value, 0, MAX_SIGMA);
    if (wish.cell > 1) wish.concerns.add("other");
  }),
  row("strip_metadata", ["sm"], (wish, [value = ""]) => {
    wish.strips = value === "" || isTrue(value);
    if (!wish.strips) wish.concerns.add("other");
  }),
  row("keep_copyright", ["kcr"], (wish, [value = ""]) => {
    wish.keepsCopyright = isTrue(value);
    if (wish.keepsCopyright) wish.concerns.add("other");
  }),
  row("strip_color_profile", ["scp"], (wish, [value = ""]) => {
    wish.keepsProfile = value !== "" && !isTrue(value);
    if (wish.keepsProfile) wish.concerns.add("other");
  }),
  row("preserve_hdr", ["ph"], (wish, [value = ""]) => {
    wish.keepsHdr = isTrue(value);
    if (wish.keepsHdr) wish.concerns.add("other");
  }),
  row("quality", ["q"], (wish, [value = "0"], name) => {
    wish.quality = whole(name, value, 0, 100);
    if (wish.quality > 0) wish.concerns.add("quality");
  }),
  row("format_quality", ["fq"], (wish, values, name) => {
    for (let at = 0; at + 1 < values.length; at += 2) {
      const format = values[at] === "jpg" ? "jpeg" : (values[at] ?? "");
      wish.formatQualities.set(format, whole(name, values[at + 1] ?? "", 1, 100));
    }
    wish.concerns.add("other");
  }),
  row("max_bytes", ["mb"], (wish, [value = "0"], name) => {
    wish.maxBytes = whole(name, value, 0, MAX_TARGET_BYTES);
    if (wish.maxBytes > 0) wish.concerns.add("other");
  }),
  row("format", ["f", "ext"], (wish, [value = ""]) => {
    if (value === "") return;
    wish.format = value;
    wish.concerns.add("format");
  }),
  row("cachebuster", ["cb"], (wish, values) => {
    wish.variant = values.join(":").slice(0, MAX_VARIANT_CHARACTERS);
    wish.concerns.add("other");
  }),
  row("expires", ["exp"], (wish, [value = ""], name) => {
    wish.expires = whole(name, value, 0, MAX_SECONDS);
    wish.concerns.add("other");
  }),
  row("filename", ["fn"], readFileName),
  row("return_attachment", ["att"], (wish, [value = ""]) => {
    wish.isAttachment = isTrue(value);
    if (wish.isAttachment) wish.concerns.add("other");
  }),
  row("preset", ["pr"], (wish, values, name) => {
    wish.presets = [...wish.presets, ...values.filter((value) => value !== "")];
    if (wish.presets.length > MAX_CHAINED_PRESETS) {
      throw new ApiError(422, `${name} must name at most ${MAX_CHAINED_PRESETS} presets`);
    }
    wish.concerns.add("preset");
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
  return (wish, [value = ""], name) => {
    wish[member] = value === "" ? 0 : whole(name, value, 0, MAX_SIDE_PIXELS);
    if (wish[member] > 0) wish.concerns.add("other");
  };
}

/** An option of which the engine knows one side alone. */
function refusedUnless(...fine: readonly string[]): ImgproxyOption["read"] {
  return (_, [value = ""], name) => {
    if (value !== "" && !fine.includes(value)) throw notOffered(`${name}:${/^\w{1,16}$/.test(value) ? value : "…"}`);
  };
}
