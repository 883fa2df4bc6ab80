/** The attributes of an `<img>`: candidates, sizes, the space that it takes, and what is shown until it is there. */
import { imageURL } from "./image-url.js";

/** @import { ImageOptions, Place } from "./image-url.js" */

/**
 * A picture of a page.
 * @typedef {object} PictureOptions
 * @property {string | URL} src An absolute address, or a path.
 * @property {string} alt
 * @property {number} width CSS pixels in the page: the most it takes, or of `full` the shape only.
 * @property {number} height
 * @property {"constrained" | "fixed" | "full" | undefined} [layout] `constrained` (the default) is as wide as its place and at most
 *   `width`, `fixed` is always `width` wide, `full` is as wide as the window.
 * @property {readonly number[] | undefined} [widths] Candidates in pixels: what the delivery lists, unless `place.widths` says it.
 * @property {string | undefined} [sizes] Instead of those of the layout.
 * @property {string | undefined} [placeholder] Shown until the picture is there: a CSS color, or the address of an image, `data:`
 *   included.
 * @property {boolean | undefined} [priority] Loaded at once: for what one sees first.
 * @property {ImageOptions | undefined} [options] What is done to it besides.
 */

/**
 * Attributes by their names in HTML. `style` is an object, as components of all frameworks take it.
 * @typedef {object} PictureAttributes
 * @property {string} src
 * @property {string} srcset
 * @property {string} sizes
 * @property {number} width
 * @property {number} height
 * @property {string} alt
 * @property {"lazy" | "eager"} loading
 * @property {"async" | "sync"} decoding
 * @property {"high" | undefined} [fetchpriority]
 * @property {Record<string, string>} style
 */

/** Screens have at most so many pixels to one of CSS that a picture gains from. */
const MAX_DENSITY = 2;

/**
 * The attributes of a picture: `<img {...imageAttributes(…)}>` in Svelte, Astro and Solid, `<img v-bind="…">` in Vue.
 * @param {Place & { widths?: readonly number[] }} place
 * @param {PictureOptions} picture
 * @returns {PictureAttributes}
 * @throws {TypeError} when no widths are known
 */
export function imageAttributes(place, picture) {
  const { src, alt, width, height, layout = "constrained", placeholder, priority = false, options = {} } = picture;
  const candidates = candidatesOf(picture.widths ?? place.widths ?? [], layout === "full" ? Infinity : width);
  const address = (/** @type {number} */ size) => imageURL(place, src, { width: size, ...options });
  const middle = candidates.find((size) => size >= width) ?? candidates.at(-1);
  return {
    // Before `src`: some browsers begin with what they read first.
    sizes: picture.sizes ?? SIZES[layout](width),
    srcset: candidates.map((size) => `${address(size)} ${size}w`).join(", "),
    src: address(/** @type {number} */ (middle)),
    width,
    height,
    alt,
    loading: priority ? "eager" : "lazy",
    decoding: priority ? "sync" : "async",
    ...(priority && { fetchpriority: "high" }),
    style: { ...STYLES[layout](width, height), ...(placeholder !== undefined && placeholderStyle(placeholder)) },
  };
}

/**
 * Of the widths that are offered those up to what the sharpest screen shows, and the first that is enough.
 * @param {readonly number[]} widths
 * @param {number} width
 */
function candidatesOf(widths, width) {
  const ascending = [...new Set(widths)].sort((one, other) => one - other);
  if (ascending.length === 0) throw new TypeError("widths must list what the delivery offers");
  const enough = ascending.findIndex((size) => size >= width * MAX_DENSITY);
  return enough === -1 ? ascending : ascending.slice(0, enough + 1);
}

const SIZES = {
  constrained: (/** @type {number} */ width) => `(min-width: ${width}px) ${width}px, 100vw`,
  fixed: (/** @type {number} */ width) => `${width}px`,
  full: () => "100vw",
};

/** @type {Record<"constrained" | "fixed" | "full", (width: number, height: number) => Record<string, string>>} */
const STYLES = {
  constrained: (width, height) => ({
    maxWidth: `${width}px`,
    width: "100%",
    height: "auto",
    aspectRatio: `${width} / ${height}`,
    objectFit: "cover",
  }),
  fixed: (width, height) => ({ width: `${width}px`, height: `${height}px`, objectFit: "cover" }),
  full: (width, height) => ({ width: "100%", height: "auto", aspectRatio: `${width} / ${height}`, objectFit: "cover" }),
};

/**
 * @param {string} placeholder
 * @returns {Record<string, string>}
 */
function placeholderStyle(placeholder) {
  if (!/^(?:data:|https?:|\/)/.test(placeholder)) return { backgroundColor: placeholder };
  const quoted = placeholder.replaceAll("\\", "%5C").replaceAll('"', "%22").replaceAll("\n", "%0A");
  return { backgroundImage: `url("${quoted}")`, backgroundSize: "cover", backgroundPosition: "center" };
}

/**
 * A style as the text of an attribute, for HTML that no framework writes.
 * @param {Readonly<Record<string, string>>} style
 * @returns {string}
 */
export function styleText(style) {
  const lines = Object.entries(style).map(
    ([name, value]) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}: ${value}`,
  );
  return lines.join("; ");
}
