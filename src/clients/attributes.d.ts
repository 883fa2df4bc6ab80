/** Types of attributes.js, as tsc declares them. */
import type { ImageOptions, Place } from "./image-url.js";
export type PictureOptions = {
    /**
     * An absolute address, or a path.
     */
    src: string | URL;
    alt: string;
    /**
     * CSS pixels in the page: the most it takes, or of `full` the shape only.
     */
    width: number;
    height: number;
    /**
     * `constrained` (the default) is as wide as its place and at most
     * `width`, `fixed` is always `width` wide, `full` is as wide as the window.
     */
    layout?: "constrained" | "fixed" | "full" | undefined;
    /**
     * Candidates in pixels: what the delivery lists, unless `place.widths` says it.
     */
    widths?: readonly number[] | undefined;
    /**
     * Instead of those of the layout.
     */
    sizes?: string | undefined;
    /**
     * Shown until the picture is there: a CSS color, or the address of an image, `data:`
     * included.
     */
    placeholder?: string | undefined;
    /**
     * Loaded at once: for what one sees first.
     */
    priority?: boolean | undefined;
    /**
     * What is done to it besides.
     */
    options?: ImageOptions | undefined;
};
export type PictureAttributes = {
    src: string;
    srcset: string;
    sizes: string;
    width: number;
    height: number;
    alt: string;
    loading: "lazy" | "eager";
    decoding: "async" | "sync";
    fetchpriority?: "high" | undefined;
    style: Record<string, string>;
};
/**
 * The attributes of a picture: `<img {...imageAttributes(…)}>` in Svelte, Astro and Solid, `<img v-bind="…">` in Vue.
 * @param {Place & { widths?: readonly number[] }} place
 * @param {PictureOptions} picture
 * @returns {PictureAttributes}
 * @throws {TypeError} when no widths are known
 */
export declare function imageAttributes(place: Place & {
    widths?: readonly number[];
}, picture: PictureOptions): PictureAttributes;
/**
 * A style as the text of an attribute, for HTML that no framework writes.
 * @param {Readonly<Record<string, string>>} style
 * @returns {string}
 */
export declare function styleText(style: Readonly<Record<string, string>>): string;
