/** Words of sharp, and what is said of those that are not offered. */

/** @import { Region } from "./steps.js" */

/** By sharp's names, those of the service. */
export const FORMATS = /** @type {Record<string, string>} */ ({
  jpeg: "jpeg",
  jpg: "jpeg",
  png: "png",
  webp: "webp",
  avif: "avif",
  heif: "heic",
  gif: "gif",
  tiff: "tiff",
  tif: "tiff",
  jxl: "jxl",
});
/** By the service's names, those of sharp. */
export const TOLD = /** @type {Record<string, string>} */ ({ AVIF: "heif", HEIC: "heif", SVG: "svg" });
/** What sharp writes of originals in formats that it only reads. */
export const READ_ONLY = /** @type {Record<string, string>} */ ({ svg: "png" });
export const OPTIONS = [
  "animated",
  "pages",
  "page",
  "autoOrient",
  "failOn",
  "failOnError",
  "limitInputPixels",
  "unlimited",
  "sequentialRead",
  "density",
  "ignoreIcc",
  "limitInputChannels",
];
/** What sharp has besides. */
export const MISSING = [
  "affine",
  "bandbool",
  "blur",
  "boolean",
  "clahe",
  "composite",
  "convolve",
  "dilate",
  "dilation",
  "ensureAlpha",
  "erode",
  "extractChannel",
  "gamma",
  "grayscale",
  "greyscale",
  "joinChannel",
  "jp2",
  "linear",
  "median",
  "modulate",
  "negate",
  "normalise",
  "normalize",
  "pipelineColorspace",
  "pipelineColourspace",
  "raw",
  "recomb",
  "removeAlpha",
  "sharpen",
  "threshold",
  "tile",
  "timeout",
  "tint",
  "toColorspace",
  "toColourspace",
  "unflatten",
  "withExif",
  "withExifMerge",
  "withGainMap",
  "withIccProfile",
  "withXmp",
  "erosion",
  "toUint8Array",
];
/** @param {string} name */
export const notOffered = (name) =>
  new Error(`${name} is not offered: the service has no such step, or none by this name`);

/**
 * @param {Region} region
 * @returns {Region}
 */
export function regionOf({ left, top, width, height }) {
  for (const [name, value] of Object.entries({ left, top, width, height })) {
    if (!Number.isInteger(value) || value < 0) {
      throw new Error(
        `Expected integer between 0 and 100000000 for ${name} but received ${value} of type ${typeof value}`,
      );
    }
  }
  return { left, top, width, height };
}

/** @param {string} name @param {unknown} value @returns {number | undefined} */
export function sideOf(name, value) {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value > 0) return value;
  throw new Error(
    `Expected positive integer between 1 and 100000000 for ${name} but received a value of type ${typeof value}`,
  );
}

const settings = () => ({
  memory: { current: 0, high: 0, max: 0 },
  files: { current: 0, max: 0 },
  items: { current: 0, max: 0 },
});
const same = (/** @type {readonly string[]} */ names) => Object.fromEntries(names.map((name) => [name, name]));
const directions = ["north", "northeast", "east", "southeast", "south", "southwest", "west", "northwest", "center"];

/** What sharp's module has besides its function; caches and threads are the service's own affair. */
export const STATICS = {
  cache: settings,
  concurrency: () => 1,
  simd: () => true,
  counters: () => ({ queue: 0, process: 0 }),
  fit: same(["contain", "cover", "fill", "inside", "outside"]),
  gravity: same([...directions, "centre"]),
  position: same(["top", "right", "bottom", "left", "right top", "right bottom", "left bottom", "left top"]),
  strategy: same(["entropy", "attention"]),
  kernel: same(["nearest", "linear", "cubic", "mitchell", "lanczos2", "lanczos3", "mks2013", "mks2021"]),
  format: Object.fromEntries(
    Object.keys(FORMATS).map((id) => [
      id,
      { id, input: { file: true, buffer: true, stream: true }, output: { file: true, buffer: true, stream: true } },
    ]),
  ),
};
