/** What controls and their choices are called for whoever does not know the API: by the member's path, as ids have it. */
import { FORMAT_ALIASES } from "./format-lists.js";
import { labelOf } from "./schema.js";

/** @type {Readonly<Record<string, string>>} */
const NAMES = {
  "resize-mode": "Fit",
  "resize-upscale": "Enlarge small pictures",
  "resize-linear": "Filter light (stars, threads, print)",
  "resize-min_width": "At least as wide as",
  "resize-min_height": "At least as high as",
  resize: "Focus, limits, background",
  scale: "By a factor",
  upscale: "Super-resolution",
  padding: "Canvas around it",
  srcset: "All widths of a page (srcset)",
  "output-format": "Format",
  "output-hdr": "HDR",
  "output-encoding": "JPEG encoding",
  "output-animation": "Keep animations moving",
  "output-sizes": "Sizes of an icon",
  "output-name": "File name",
  "output-quality": "Quality, as numbers of the format",
  output: "Metadata, color profile, name",
  "optimize-compression": "Quality",
  "optimize-target_bytes": "At most bytes",
  "optimize-quality": "Quality number",
  optimize: "Effort, quality number",
  "crop-mode": "Cut by",
  "crop-ratio": "Shape, as 16:9",
  "crop-gravity": "Keep",
  crop: "Rectangle, focus, faces",
  trim: "Trim the margins",
  rotate: "Rotate",
  flip: "Mirror",
  adjust: "All of color and light",
  "auto-enhance": "Enhance by itself",
  auto: "Red eyes",
  filter: "Filters",
  mask: "Round shape",
  border: "Border and round corners",
  background: "Behind what is transparent",
  text: "Text",
  watermark: "Watermark",
  redact: "Make faces and areas unrecognizable",
  input: "Damaged files",
  store: "Store the result elsewhere",
  webhook: "Answer to a webhook",
  reuse: "Reuse results",
};

const DRAWN = { face: "The face", faces: "All faces", auto: "What stands out" };

/** @type {Readonly<Record<string, Readonly<Record<string, string>>>>} */
const CHOICES = {
  "output-format": {
    "": "As the original",
    auto: "The smallest that shows it",
    jpeg: "JPEG",
    jpeg2000: "JPEG 2000",
    png: "PNG",
    apng: "PNG that moves",
    gif: "GIF",
    webp: "WebP",
    avif: "AVIF",
    heic: "HEIC",
    jxl: "JPEG XL",
    bmp: "BMP",
    ico: "Icon",
    tiff: "TIFF",
    mp4: "Film (MP4)",
  },
  "optimize-compression": {
    "": "Looks the same",
    ultra: "Loss can be seen",
    high: "Looks nearly the same",
    medium: "Looks the same, as named",
    low: "The same on a second look",
    lossless: "Exact",
  },
  "resize-mode": {
    "": "Inside the box",
    fit: "Fill the box, cut the rest",
    fill: "Inside, padded to the box",
    exact: "Stretch to the box",
    match: "Fill if both are upright or both not",
  },
  "crop-mode": { "": "Rectangle", ratio: "Shape", face: "Face" },
  "crop-gravity": { "": "The middle", ...DRAWN },
  "resize-gravity": { "": "The middle", ...DRAWN },
};

/** @type {Readonly<Record<string, string>>} */
const PLACEHOLDERS = {
  "resize-width": "as it is",
  "resize-height": "as it is",
  "optimize-target_bytes": "no limit",
};

/** @type {Readonly<Record<string, readonly string[]>>} */
const SUGGESTIONS = { "crop-ratio": ["1:1", "4:5", "4:3", "3:2", "16:9", "9:16", "1.91:1"] };

/** What acts while nothing is said, where the schema cannot say it. */
const ACTING = /** @type {Readonly<Record<string, boolean>>} */ ({ "output-animation": true });

/**
 * @param {string} id `op-resize-width`
 * @param {string} name `width`
 */
export function fieldLabel(id, name) {
  return NAMES[pathOf(id)] ?? labelOf(name);
}

/**
 * What the choices of a list say, in order; aliases are left out.
 * @param {string} id
 * @param {readonly string[]} values
 * @param {string | number | boolean | undefined} preset what acts while nothing is chosen
 * @returns {(readonly [value: string, text: string])[]}
 */
export function choicesOf(id, values, preset) {
  const texts = CHOICES[pathOf(id)] ?? {};
  const unset = texts[""] ?? (preset === undefined ? "–" : `${preset} (default)`);
  // Another name of a format is a choice only where it has something of its own to say.
  const isAlias = (/** @type {string} */ value) => FORMAT_ALIASES.includes(value) && texts[value] === undefined;
  const others = values.filter((value) => value !== preset && !isAlias(value));
  return [["", unset], ...others.map((value) => /** @type {const} */ ([value, texts[value] ?? value]))];
}

/**
 * @param {string} id
 * @param {string | number | boolean | undefined} preset that of the schema
 */
export function isOnByDefault(id, preset) {
  return ACTING[pathOf(id)] ?? preset === true;
}

/**
 * What an empty field says.
 * @param {string} id
 */
export function placeholderOf(id) {
  return PLACEHOLDERS[pathOf(id)];
}

/**
 * Values that a text is often given.
 * @param {string} id
 */
export function suggestionsOf(id) {
  return SUGGESTIONS[pathOf(id)] ?? [];
}

/** @param {string} id */
function pathOf(id) {
  return id.replace(/^op-/, "");
}
