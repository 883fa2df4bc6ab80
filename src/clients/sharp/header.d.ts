/** Types of header.js, as tsc declares them. */
/** What the header of a file says, by the names of sharp's `metadata`: read here, so that it costs no request. */
export type Metadata = {
    format: string;
    /**
     * Bytes of the file.
     */
    size: number;
    /**
     * As it is stored, before any turn; see `orientation`.
     */
    width: number;
    /**
     * Of all frames under each other where all of them are asked for.
     */
    height: number;
    space: string;
    channels: number;
    depth: string;
    hasAlpha: boolean;
    hasProfile: boolean;
    /**
     * Of EXIF, from 1 to 8.
     */
    orientation?: number;
    density?: number;
    isProgressive?: boolean;
    isPalette?: boolean;
    /**
     * Frames of an animation, or pages.
     */
    pages?: number;
    /**
     * Of one frame, where all of them are asked for.
     */
    pageHeight?: number;
    compression?: string;
    /**
     * The size as it is shown.
     */
    autoOrient: {
        width: number;
        height: number;
    };
};
export type Facts = Partial<Metadata> & {
    format: string;
    width: number;
    height: number;
};
export type Part = {
    type: string;
    at: number;
    end: number;
};
/**
 * @param {Uint8Array} bytes
 * @param {boolean} hasAllFrames Whether frames are one picture, each under the one before, as sharp takes animations.
 * @returns {Metadata}
 * @throws Error with sharp's words where the format is none that sharp reads, or the header is damaged
 */
export declare function metadataOf(bytes: Uint8Array, hasAllFrames: boolean): Metadata;
