/** Types of astro.js, as tsc declares them. */
import type { ExternalImageService } from "astro";
import type { Place } from "./image-url.js";
import type { SigningPair } from "./sign.js";
/**
 * @param {Place & { signing?: SigningPair }} [place] Without it, `image.service.config`.
 * @returns {ExternalImageService}
 */
export declare function createService(place?: Place & {
    signing?: SigningPair;
}): ExternalImageService;
declare const _default: ExternalImageService;
export default _default;
