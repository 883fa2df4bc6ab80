/** Pictures: originals and results, in pixels, frames and bytes. */

/** Decoded pixels of a picture, all frames together; the largest medium-format cameras make 102 megapixels. */
export const MAX_SOURCE_PIXELS = 110_000_000;
/** One side that a request may ask for. */
export const MAX_SIDE_PIXELS = 16_384;
/**
 * One side of an original, and of a result that keeps it: strips of comics and screenshots of whole pages are this long. JPEG
 * cannot hold more than libjpeg does, which is this; formats that hold less refuse it by name.
 */
export const MAX_LONG_SIDE_PIXELS = 65_500;
/** A size that a result may be asked to have: more than any result. */
export const MAX_TARGET_BYTES = 1024 * 1024 * 1024;
/** A side of a picture in an icon: what a byte of its directory can say. */
export const MAX_ICON_SIDE_PIXELS = 256;
/** Pictures in an icon. */
export const MAX_ICON_SIDES = 16;
/** Pixels of a result, all frames together: what bounds the time that one request may take. */
export const MAX_RESULT_PIXELS = 110_000_000;
/** A color profile that a result takes over from its original: those of RGB with tables have up to 600 KB, cameras' 3 KB. */
export const MAX_KEPT_PROFILE_BYTES = 1024 * 1024;
/** Frames of an animation: one minute at 25 frames a second. */
export const MAX_FRAMES = 1_500;
