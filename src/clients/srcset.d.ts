/** Types of srcset.js, as tsc declares them. */
import type { ImageOptions, Place } from "./image-url.js";
import type { SigningPair } from "./sign.js";
export type SrcsetOptions = (ImageOptions & {
    widths: readonly number[];
}) | (ImageOptions & {
    densities: readonly number[];
    width: number;
});
/**
 * The attribute `srcset`.
 * @param {Place} place
 * @param {string | URL} source
 * @param {SrcsetOptions} options
 * @returns {string}
 */
export declare function srcset(place: Place, source: string | URL, options: SrcsetOptions): string;
/**
 * The attribute `srcset` with signed addresses, for pages that a server makes.
 * @param {Place & { signing: SigningPair }} place
 * @param {string | URL} source
 * @param {SrcsetOptions} options
 * @returns {Promise<string>}
 */
export declare function signedSrcset({ signing, ...place }: Place & {
    signing: SigningPair;
}, source: string | URL, options: SrcsetOptions): Promise<string>;
