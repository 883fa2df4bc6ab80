/** Types of image-url.js, as tsc declares them. */
/**
 * `darkroom/image-url`: addresses of pictures of a delivery. Like all files of this folder it is shipped as it is, to
 * bundlers, servers and browsers that know nothing of TypeScript: plain JavaScript, whose types `tsc` declares.
 */
export type Place = {
    /**
     * The delivery's address, `https://darkroom.example.com/i/dl_…`.
     */
    baseURL: string;
    /**
     * What paths are below, `https://www.example.com`; without it the delivery's only web
     * source.
     */
    origin?: string | undefined;
};
export type ImageOptions = {
    width?: number | undefined;
    height?: number | undefined;
    dpr?: number | undefined;
    fit?: "scale-down" | "contain" | "cover" | "crop" | "pad" | "squeeze" | undefined;
    /**
     * A side, `auto`, `face`, or a focal point, `0.3x0.7`.
     */
    gravity?: string | undefined;
    quality?: number | "low" | "medium-low" | "medium-high" | "high" | undefined;
    format?: "auto" | "avif" | "jxl" | "webp" | "jpeg" | "baseline-jpeg" | "png" | "gif" | "ico" | "bmp" | "tiff" | "mp4" | "json" | undefined;
    compression?: "fast" | "low" | "medium" | "high" | "ultra" | "lossless" | undefined;
    /**
     * A CSS color.
     */
    background?: string | undefined;
    blur?: number | undefined;
    brightness?: number | undefined;
    contrast?: number | undefined;
    gamma?: number | undefined;
    saturation?: number | undefined;
    sharpen?: number | undefined;
    rotate?: 90 | 180 | 270 | undefined;
    flip?: "h" | "v" | "hv" | undefined;
    preset?: string | undefined;
    onerror?: "redirect" | undefined;
    /**
     * When the address ends, in seconds since 1970.
     */
    exp?: number | undefined;
    /**
     * Any operations, `output` and `optimize`, as requests have them.
     */
    json?: object | undefined;
};
/**
 * The address of a picture.
 * @param {Place} place
 * @param {string | URL} source An absolute address, or a path.
 * @param {ImageOptions} [options]
 * @returns {string}
 */
export declare function imageURL({ baseURL, origin }: Place, source: string | URL, options?: ImageOptions): string;
/**
 * Bytes in base64url without padding, also where `toBase64` is not known yet.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export declare function base64url(bytes: Uint8Array): string;
