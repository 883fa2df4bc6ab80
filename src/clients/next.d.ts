/** Types of next.js, as tsc declares them. */
import type { ImageOptions, Place } from "./image-url.js";
/**
 * A loader. It also runs in browsers, so its addresses have no signature: the delivery lists the widths of
 * `images.deviceSizes` and `images.imageSizes`.
 * @param {Place} place
 * @param {ImageOptions} [options] What is said of every picture.
 */
export declare function createLoader(place: Place, options?: ImageOptions): ({ src, width, quality }: {
    src: string;
    width: number;
    quality?: number | undefined;
}) => string;
