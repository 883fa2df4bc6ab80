/** `darkroom/next`: the loader of `next/image`, the default export of the file that `images.loaderFile` names. */
import { imageURL } from "./image-url.js";

/** @import { ImageOptions, Place } from "./image-url.js" */

/**
 * A loader. It also runs in browsers, so its addresses have no signature: the delivery lists the widths of
 * `images.deviceSizes` and `images.imageSizes`.
 * @param {Place} place
 * @param {ImageOptions} [options] What is said of every picture.
 */
export function createLoader(place, options) {
  /**
   * @param {{ src: string, width: number, quality?: number | undefined }} image
   * @returns {string}
   */
  return ({ src, width, quality }) => imageURL(place, src, { width, quality, ...options });
}
