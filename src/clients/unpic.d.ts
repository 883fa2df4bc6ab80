/** Types of unpic.js, as tsc declares them. */
import type { ImageOptions, Place } from "./image-url.js";
export type Operations = Omit<ImageOptions, "width" | "height" | "format" | "quality"> & {
    width?: number | string;
    height?: number | string;
    format?: string;
    quality?: number | string;
};
/**
 * A transformer. Components always say a height, which addresses without a signature may not: it counts where
 * `operations` name a `fit`, else the picture keeps its shape and the page crops it.
 * @param {Place} place
 */
export declare function createTransformer(place: Place): (source: string | URL, { width, height, ...others }: Operations) => string;
