/**
 * `darkroom/image-url`: addresses of pictures of a delivery. Like all files of this folder it is shipped as it is, to
 * bundlers, servers and browsers that know nothing of TypeScript: plain JavaScript, whose types `tsc` declares.
 */

/**
 * Which delivery, as every client is told.
 * @typedef {object} Place
 * @property {string} baseURL The delivery's address, `https://darkroom.example.com/i/dl_…`.
 * @property {string | undefined} [origin] What paths are below, `https://www.example.com`; without it the delivery's only web
 *   source.
 */

/**
 * What is done to a picture. Addresses without a signature may say `width`, `fit`, `gravity`, `quality`, `format` and
 * `preset`, as far as the delivery lists them.
 * @typedef {object} ImageOptions
 * @property {number | undefined} [width]
 * @property {number | undefined} [height]
 * @property {number | undefined} [dpr]
 * @property {"scale-down" | "contain" | "cover" | "crop" | "pad" | "squeeze" | undefined} [fit]
 * @property {string | undefined} [gravity] A side, `auto`, `face`, or a focal point, `0.3x0.7`.
 * @property {number | "low" | "medium-low" | "medium-high" | "high" | undefined} [quality]
 * @property {"auto" | "avif" | "jxl" | "webp" | "jpeg" | "baseline-jpeg" | "png" | "gif" | "ico" | "bmp" | "tiff" | "mp4" | "json" | undefined} [format]
 * @property {"fast" | "low" | "medium" | "high" | "ultra" | "lossless" | undefined} [compression]
 * @property {string | undefined} [background] A CSS color.
 * @property {number | undefined} [blur]
 * @property {number | undefined} [brightness]
 * @property {number | undefined} [contrast]
 * @property {number | undefined} [gamma]
 * @property {number | undefined} [saturation]
 * @property {number | undefined} [sharpen]
 * @property {90 | 180 | 270 | undefined} [rotate]
 * @property {"h" | "v" | "hv" | undefined} [flip]
 * @property {string | undefined} [preset]
 * @property {"redirect" | undefined} [onerror]
 * @property {number | undefined} [exp] When the address ends, in seconds since 1970.
 * @property {object | undefined} [json] Any operations, `output` and `optimize`, as requests have them.
 */

/** What neither a path, nor a list of candidates, nor a second reading changes. */
const PLAIN = /^[\w.~!$&'()*+;=:@/-]+$/;

/**
 * The address of a picture.
 * @param {Place} place
 * @param {string | URL} source An absolute address, or a path.
 * @param {ImageOptions} [options]
 * @returns {string}
 */
export function imageURL({ baseURL, origin }, source, options = {}) {
  // A variable of the environment that nobody set is told here.
  if (typeof baseURL !== "string" || baseURL === "") throw new TypeError("baseURL must be the address of a delivery");
  const original = String(source);
  // What is in the page already is no file of any delivery.
  if (/^(?:data|blob):/i.test(original)) return original;
  const isPath = original.startsWith("/") && !original.startsWith("//");
  const located = isPath && origin !== undefined ? origin.replace(/\/+$/, "") + original : original;
  return `${baseURL.replace(/\/+$/, "")}/${optionsText(options)}/${sourceText(located)}`;
}

/**
 * Options as addresses have them; `-` for none.
 * @param {ImageOptions} options
 */
function optionsText(options) {
  const given = Object.entries(options).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const pairs = given.map(([name, value]) => {
    const text = typeof value === "object" ? base64url(new TextEncoder().encode(JSON.stringify(value))) : String(value);
    return `${name}=${encodeURIComponent(text)}`;
  });
  return pairs.join(",") || "-";
}

/**
 * A source that is read exactly once: encoded as a whole unless every character of it may stand as it is.
 * @param {string} source
 */
function sourceText(source) {
  const absolute = source.replace(/^\/\//, "https://");
  const isAbsolute = /^https?:/i.test(absolute);
  const located = isAbsolute ? absolute : absolute.replace(/^\/+/, "");
  if (PLAIN.test(located)) return located;
  // The slash tells a path that is encoded as a whole from a name that is encoded anyway.
  return encodeURIComponent(isAbsolute ? located : `/${located}`);
}

/**
 * Bytes in base64url without padding, also where `toBase64` is not known yet.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function base64url(bytes) {
  const characters = Array.from(bytes, (byte) => String.fromCharCode(byte));
  return btoa(characters.join("")).replace(/=+$/, "").replaceAll("+", "-").replaceAll("/", "_");
}
