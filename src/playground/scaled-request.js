/** What is asked of an original, asked of a smaller copy of it, so that the result looks as it will. */

/** @import { UploadBody } from "./shapes.d.ts" */

/** Members that are lengths in pixels of the picture; below 1 they are parts of a side, and stay what they are. */
const LENGTHS = {
  resize: ["width", "height", "min_width", "min_height"],
  padding: ["size", "top", "right", "bottom", "left"],
  border: ["size", "radius"],
  watermark: ["padding", "x", "y", "width", "height"],
  text: ["size", "padding", "x", "y", "width"],
};
/** Filters whose `value` is a length in pixels. */
const FILTERS = ["blur", "pixellate", "halftone"];
/** What cuts out a part needs all pixels that the part has. */
const CUTS = ["crop", "trim"];
/** Results that go elsewhere, or are several, are not tried out. */
const NOT_TRIED = ["webhook", "store", "srcset", "outputs", "reuse"];

/**
 * Whether a request is one that can be tried out: it changes nothing but what is seen.
 * @param {UploadBody | undefined} body
 */
export function canBeTried(body) {
  return !NOT_TRIED.some((name) => body && name in body);
}

/**
 * A request to the original as one to its copy. `scale` is by how much smaller the result will be, 1 where it is the very
 * picture that the original gives; `whole` says that only the original will do.
 * @param {UploadBody | undefined} body
 * @param {{ scale: number, width: number, height: number }} copy sides are those of the original
 * @returns {{ body: UploadBody | undefined, scale: number, whole: boolean }}
 */
export function scaledRequest(body, { scale, width, height }) {
  if (scale === 1) return { body, scale, whole: true };
  if (!body) return { body, scale, whole: false };
  if (CUTS.some((name) => name in body)) return { body, scale: 1, whole: true };
  const { width: across = 0, height: down = 0 } = body.resize ?? {};
  // A result that is no larger than the copy is made of the copy as it will be, with all that follows at its own size.
  if (body.resize && across <= width * scale && down <= height * scale) return { body, scale: 1, whole: false };
  return { body: withLengths(body, scale), scale, whole: false };
}

/**
 * @param {UploadBody} body
 * @param {number} scale
 * @returns {UploadBody}
 */
function withLengths(body, scale) {
  /** @type {Record<string, any>} */
  const scaled = { ...body };
  for (const [name, members] of Object.entries(LENGTHS)) {
    if (scaled[name]) scaled[name] = lengths(scaled[name], members, scale);
  }
  const { regions } = scaled["redact"] ?? {};
  if (regions) {
    const sides = ["x", "y", "width", "height"];
    const smaller = regions.map((/** @type {object} */ region) => lengths({ ...region }, sides, scale));
    scaled["redact"] = { ...scaled["redact"], regions: smaller };
  }
  for (const place of ["filter", "stylize"]) {
    if (!scaled[place]) continue;
    scaled[place] = { ...scaled[place] };
    for (const name of FILTERS.filter((one) => scaled[place][one])) {
      scaled[place][name] = { ...scaled[place][name], value: scaled[place][name].value * scale };
    }
  }
  const { target_bytes: bytes } = scaled["optimize"] ?? {};
  if (bytes) scaled["optimize"] = { ...scaled["optimize"], target_bytes: Math.max(1, Math.round(bytes * scale ** 2)) };
  return scaled;
}

/**
 * @param {Record<string, unknown>} operation
 * @param {readonly string[]} names
 * @param {number} scale
 */
function lengths(operation, names, scale) {
  const changed = Object.entries(operation).map(([name, value]) => {
    const length = Number(value);
    const isLength = names.includes(name) && Math.abs(length) >= 1;
    return [name, isLength ? Math.sign(length) * Math.max(1, Math.round(Math.abs(length) * scale)) : value];
  });
  return Object.fromEntries(changed);
}
