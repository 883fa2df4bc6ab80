/** Types of sharp.js, as tsc declares them. */
/**
 * Chains with sharp's names, for programs that make pictures with sharp and are to run where it cannot: what a chain asks
 * for is sent to the service. What is not offered throws by its name.
 */
import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { STATICS } from "./words.js";
import type { Success, UploadBody } from "@darkroom-images/client/api-types";
import type { Metadata } from "./header.js";
import type { Region, ResizeOptions } from "./steps.js";
export type Place = {
    service: {
        fetch: typeof fetch;
    };
} | {
    baseURL: string | URL;
    key: string;
    fetch?: typeof fetch;
};
export type Input = string | ArrayBuffer | ArrayBufferView | Options | null | undefined;
export type Options = {
    /**
     * All frames; the first alone unless it is said.
     */
    animated?: boolean;
    /**
     * The same: -1 is all.
     */
    pages?: number;
    autoOrient?: boolean;
};
export type Info = {
    format: string;
    size: number;
    width: number;
    /**
     * Of all frames under each other.
     */
    height: number;
    channels: number;
    premultiplied: boolean;
    hasAlpha: boolean;
    pages?: number;
    pageHeight?: number;
};
export type Made = {
    data: Buffer;
    info: Info;
};
export type Stats = {
    isOpaque: boolean;
    dominant: {
        r: number;
        g: number;
        b: number;
    };
};
export type Client = {
    upload: (file: Uint8Array<ArrayBuffer>, body: UploadBody) => Promise<{
        metadata: Success;
        arrayBuffer: () => Promise<ArrayBuffer>;
    }>;
};
export type FormatOptions = Record<string, any>;
/** A chain. Writes are the original where none was given, reads are the result. */
export declare class Sharp extends Duplex {
    #private;
    /**
     * @param {Client} client
     * @param {Input} [input]
     * @param {Options} [options]
     */
    constructor(client: Client, input?: Input, options?: Options);
    /** @param {Uint8Array} chunk @param {string} _ @param {(error?: Error) => void} done */
    _write(chunk: Uint8Array, _: string, done: (error?: Error) => void): void;
    /** @param {() => void} done */
    _final(done: () => void): void;
    _read(): void;
    /** The same calls on the same original, to which others are added. */
    clone(): Sharp;
    autoOrient(): this;
    /** @param {number} [angle] Whole degrees; without it as EXIF says. @param {{ background?: unknown }} [options] */
    rotate(angle?: number, { background }?: {
        background?: unknown;
    }): this;
    /** @param {boolean} [value] */
    flip(value?: boolean): this;
    /** @param {boolean} [value] */
    flop(value?: boolean): this;
    /** @param {{ threshold?: number, background?: unknown, margin?: number, lineArt?: boolean }} [options] */
    trim({ threshold, background, margin, lineArt }?: {
        threshold?: number;
        background?: unknown;
        margin?: number;
        lineArt?: boolean;
    }): this;
    /** @param {Region} region */
    extract(region: Region): this;
    /** @param {number | ResizeOptions | null} [width] @param {number | null} [height] @param {ResizeOptions} [options] */
    resize(width?: number | ResizeOptions | null, height?: number | null, options?: ResizeOptions): this;
    /** @param {number | { top?: number, right?: number, bottom?: number, left?: number, background?: unknown, extendWith?: string }} extend */
    extend(extend: number | {
        top?: number;
        right?: number;
        bottom?: number;
        left?: number;
        background?: unknown;
        extendWith?: string;
    }): this;
    /** @param {boolean | { background?: unknown }} [options] */
    flatten(options?: boolean | {
        background?: unknown;
    }): this;
    /** @param {string | { id: string }} format @param {FormatOptions} [options] */
    toFormat(format: string | {
        id: string;
    }, options?: FormatOptions): this;
    /** @param {FormatOptions} [options] */
    jpeg: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    png: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    webp: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    avif: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    heif: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    gif: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    tiff: (options?: FormatOptions) => this;
    /** @param {FormatOptions} [options] */
    jxl: (options?: FormatOptions) => this;
    /** EXIF, XMP and IPTC are kept. @param {object} [options] */
    withMetadata(options?: object): this;
    keepMetadata(): this;
    keepExif(): this;
    keepIccProfile(): this;
    /**
     * What the header of the original says, whatever is asked of the result.
     * @param {(error: unknown, metadata?: Metadata) => void} [callback]
     * @returns {Promise<Metadata>}
     */
    metadata(callback?: (error: unknown, metadata?: Metadata) => void): Promise<Metadata>;
    /**
     * Decodes the original, and says what the service measures of it.
     * @param {(error: unknown, stats?: Stats) => void} [callback]
     * @returns {Promise<Stats>}
     */
    stats(callback?: (error: unknown, stats?: Stats) => void): Promise<Stats>;
    toBuffer(options: {
        resolveWithObject: true;
    }): Promise<Made>;
    toBuffer(options?: {
        resolveWithObject?: false;
    } | ((error: unknown, data?: Buffer, info?: Info) => void)): Promise<Buffer>;
    /**
     * Writes the result into a file, in the format of its name unless one was asked for.
     * @param {string} path
     * @param {(error: unknown, info?: Info) => void} [callback]
     * @returns {Promise<Info>}
     */
    toFile(path: string, callback?: (error: unknown, info?: Info) => void): Promise<Info>;
}
export type Module = ((input?: Input, options?: Options) => Sharp) & typeof STATICS;
/**
 * What `import sharp from "sharp"` gives, over the service.
 * @param {Place} place
 * @returns {Module}
 */
export declare function sharpOver(place: Place): Module;
