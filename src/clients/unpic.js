/** `darkroom/unpic`: the transformer of `@unpic/*` components in their base form, and of whatever else takes one. */
import { imageURL } from "./image-url.js";

/** @import { ImageOptions, Place } from "./image-url.js" */

/**
 * What components of `@unpic` say of a picture, and what `operations` say besides.
 * @typedef {Omit<ImageOptions, "width" | "height" | "format" | "quality"> & {
 *   width?: number | string,
 *   height?: number | string,
 *   format?: string,
 *   quality?: number | string,
 * }} Operations
 */

/**
 * A transformer. Components always say a height, which addresses without a signature may not: it counts where
 * `operations` name a `fit`, else the picture keeps its shape and the page crops it.
 * @param {Place} place
 */
export function createTransformer(place) {
  /**
   * @param {string | URL} source
   * @param {Operations} operations
   * @returns {string}
   */
  return (source, { width, height, ...others }) => {
    const size = others.fit === undefined ? { width } : { width, height };
    return imageURL(place, source, /** @type {ImageOptions} */ ({ ...size, ...others }));
  };
}
