/** Transforms from embedded ICC profiles to sRGB, by Little CMS. */
import { native, type NativeExports } from "../load.ts";
import module from "./color.wasm";

interface ColorExports extends NativeExports {
  color_open(profile: number, length: number, layout: number): number;
  color_convert(transform: number, input: number, output: number, pixels: number): void;
  color_close(transform: number): void;
}

const color = native<ColorExports>(module, { name: "color", keepBytes: 8 * 1024 * 1024 });

/** How pixels lie in the input of a transform: four bytes each. The numbers are shared with color.c. */
const LAYOUTS = { rgba: 0, gray: 1, cmyk: 2, "cmyk-inverted": 3 } as const;

/** `gray` is RGBA with the gray sample in the first byte; `cmyk-inverted` has 255 for no ink, as Adobe's JPEGs do. */
export type Layout = keyof typeof LAYOUTS;

export interface Transform {
  /** Pixels that one call may convert. */
  readonly maxPixels: number;
  /**
   * Converts a run of pixels, four bytes each, to RGBA; alpha is kept, CMYK becomes opaque.
   * The view is valid until the next call.
   */
  convert(pixels: Uint8Array): Uint8Array;
  close(): void;
}

const RUN_PIXELS = 16_384;
/** What color_open returns for a profile that is sRGB under another name. */
const NOTHING_TO_DO = 1;

/**
 * The transform from an embedded profile to sRGB; null when there is nothing to do, or the profile is damaged or made
 * for other pixels (the picture is then taken as it is, as browsers do).
 */
export function openTransform(profile: Uint8Array, layout: Layout): Transform | null {
  const instance = color.acquire();
  const { exports } = instance;
  const pointers: number[] = [];
  let transform = 0;
  const close = () => {
    if (transform > NOTHING_TO_DO) exports.color_close(transform);
    for (const pointer of pointers.splice(0)) exports.free(pointer);
    if (transform !== -1) color.release(instance);
    transform = -1;
  };
  try {
    const source = exports.malloc(profile.length);
    pointers.push(source);
    instance.bytes(source, profile.length).set(profile);
    transform = instance.run(() => exports.color_open(source, profile.length, LAYOUTS[layout]));
    if (transform <= NOTHING_TO_DO) {
      close();
      return null;
    }
    const run = exports.malloc(RUN_PIXELS * 4);
    pointers.push(run);
    return { maxPixels: RUN_PIXELS, convert, close };

    function convert(pixels: Uint8Array): Uint8Array {
      instance.bytes(run, pixels.length).set(pixels);
      instance.run(() => exports.color_convert(transform, run, run, pixels.length / 4));
      const converted = instance.bytes(run, pixels.length);
      if (layout.startsWith("cmyk")) for (let at = 3; at < converted.length; at += 4) converted[at] = 255;
      return converted;
    }
  } catch (error) {
    close();
    throw error;
  }
}
