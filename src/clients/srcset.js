/** `darkroom/srcset`: the candidates of an `<img>` or a `<source>`. */
import { imageURL } from "./image-url.js";
import { signURL } from "./sign.js";

/** @import { ImageOptions, Place } from "./image-url.js" */
/** @import { SigningPair } from "./sign.js" */

/**
 * Widths in pixels, for pictures as wide as `sizes` says; or densities, for one that is `width` wide in the page. With a
 * `width` and a `height` every candidate has their shape.
 * @typedef {ImageOptions & { widths: readonly number[] } | ImageOptions & { densities: readonly number[], width: number }} SrcsetOptions
 */

/**
 * The attribute `srcset`.
 * @param {Place} place
 * @param {string | URL} source
 * @param {SrcsetOptions} options
 * @returns {string}
 */
export function srcset(place, source, options) {
  return joined(candidates(place, source, options));
}

/**
 * The attribute `srcset` with signed addresses, for pages that a server makes.
 * @param {Place & { signing: SigningPair }} place
 * @param {string | URL} source
 * @param {SrcsetOptions} options
 * @returns {Promise<string>}
 */
export async function signedSrcset({ signing, ...place }, source, options) {
  const signed = candidates(place, source, options).map(async ({ url, descriptor }) => ({
    url: await signURL(signing, url),
    descriptor,
  }));
  return joined(await Promise.all(signed));
}

/**
 * @param {Place} place
 * @param {string | URL} source
 * @param {SrcsetOptions} options
 */
function candidates(place, source, options) {
  const { width, height, ...others } = options;
  const byWidth = "widths" in options;
  const sizes = byWidth
    ? options.widths.map((size) => ({ size, descriptor: `${size}w` }))
    : options.densities.map((density) => ({ size: Math.round(options.width * density), descriptor: `${density}x` }));
  const shared = Object.fromEntries(Object.entries(others).filter(([name]) => !["widths", "densities"].includes(name)));
  return sizes.map(({ size, descriptor }) => {
    const scaled = height !== undefined && width !== undefined ? Math.round((height * size) / width) : height;
    return { url: imageURL(place, source, { width: size, height: scaled, ...shared }), descriptor };
  });
}

/** @param {readonly { url: string, descriptor: string }[]} all */
function joined(all) {
  return all.map(({ url, descriptor }) => `${url} ${descriptor}`).join(", ");
}
