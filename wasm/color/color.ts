/** Transforms between ICC profiles, by a kernel or by Little CMS. */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { native, type NativeInstance } from "../load.ts";
import module from "./color.wasm";
import type { ColorExports } from "./exports.ts";

const color = native<ColorExports>(module, {
  name: "color",
  keepBytes: 8 * 1024 * 1024,
  isCommon: true,
  forget: () => (idle = undefined),
});

/** How pixels lie in the input of a transform: four samples each. The numbers are shared with color.c. */
const LAYOUTS = { rgba: 0, gray: 1, cmyk: 2, "cmyk-inverted": 3 } as const;

/** `gray` is RGBA with the gray sample in the first byte; `cmyk-inverted` has 255 for no ink, as Adobe's JPEGs do. */
export type Layout = keyof typeof LAYOUTS;

export interface Transform {
  /** Pixels that one call may convert. */
  readonly maxPixels: number;
  /**
   * Converts a run of pixels, four samples each, to RGBA; alpha is kept, CMYK becomes opaque.
   * The view is valid until the next call.
   */
  convert(pixels: Uint8Array): Uint8Array;
  close(): void;
}

const RUN_PIXELS = 16_384;
const RUN_BYTES = RUN_PIXELS * 8;
/** What color_open returns for profiles that are one under two names. */
const NOTHING_TO_DO = 1;
/** In place of a profile. */
export const SRGB = new Uint8Array(0);

/** What two profiles are to each other; `unusable`: one is damaged or made for other pixels. */
export type Relation = "same" | "different" | "unusable";

/** What a profile is to the target, for colors. */
export function relationOf(profile: Uint8Array, target: Uint8Array): Relation {
  return acquired({ profile, layout: "rgba", target, sixteenBit: false }, ({ transform }) =>
    transform === 0 ? "unusable" : transform === NOTHING_TO_DO ? "same" : "different",
  );
}

/** From what to what a transform is. */
interface Kind {
  readonly profile: Uint8Array;
  readonly layout: Layout;
  readonly target: Uint8Array;
  readonly sixteenBit: boolean;
}

function acquired<Result>(kind: Kind, work: (built: Built) => Result): Result {
  const instance = color.acquire();
  let built: Built | undefined;
  try {
    built = taken(instance, kind) ?? build(instance, kind);
    return work(built);
  } finally {
    if (built && !instance.broken) retire(built);
    color.release(instance);
  }
}

/**
 * The transform from a profile to a target of RGB, sRGB unless it is named; null when there is nothing to do, or one of
 * them is damaged or made for other pixels (the picture is then taken as it is, as browsers do).
 * @param sixteenBit samples have 16 bits, in the order of bytes of the machine; not of inks
 */
export function openTransform(
  profile: Uint8Array,
  layout: Layout,
  target: Uint8Array = SRGB,
  sixteenBit = false,
): Transform | null {
  const kind = { profile, layout, target, sixteenBit };
  const instance = color.acquire();
  let built: Built | undefined;
  let open = true;
  const close = () => {
    if (!open) return;
    open = false;
    if (built && !instance.broken) retire(built);
    color.release(instance);
  };
  try {
    built = taken(instance, kind) ?? build(instance, kind);
  } catch (error) {
    close();
    throw error;
  }
  const { transform, run } = built;
  if (transform <= NOTHING_TO_DO) {
    close();
    return null;
  }
  const convert = (pixels: Uint8Array): Uint8Array => {
    instance.bytes(run, pixels.length).set(pixels);
    instance.run((exports) => exports.color_convert(transform, run, run, pixels.length / (sixteenBit ? 8 : 4)));
    const converted = instance.bytes(run, pixels.length);
    if (layout.startsWith("cmyk")) for (let at = 3; at < converted.length; at += 4) converted[at] = 255;
    return converted;
  };
  return { maxPixels: RUN_PIXELS, convert, close };
}

/** To convert a pixel: by curves and a matrix, by curves alone (gray), by a table of many dimensions. */
const NANOSECONDS = { matrix: 6, gray: 35, table: 90 } as const;
/** The same of samples of 16 bits. */
const SIXTEEN_BIT_NANOSECONDS = { matrix: 300, gray: 250, table: 600 } as const;
/** To build a transform, which is one call: by what its profile is. */
const BUILD_MS = { matrix: 8, gray: 2, table: 60 } as const;
/** Those that take the most time first. */
const KINDS = ["table", "gray", "matrix"] as const;
/** A transform holds the profile twice, decoded and as it came, and tables of its own. */
const BUILT_BYTES = 256 * 1024;

/** The estimate of converting as many pixels as a picture of this size has. */
export function transformEstimate(
  profile: Uint8Array,
  { width, height }: { width: number; height: number },
  target: Uint8Array = SRGB,
  sixteenBit = false,
): Estimate {
  const kinds = [profile, target].filter(({ length }) => length > 0).map(kindOf);
  const kind = KINDS.find((one) => kinds.includes(one)) ?? "matrix";
  const bytes = 2 * (profile.length + target.length) + RUN_BYTES + BUILT_BYTES;
  return parallel(estimated(bytes, width * height, (sixteenBit ? SIXTEEN_BIT_NANOSECONDS : NANOSECONDS)[kind]), {
    bytes: 0,
    ms: BUILD_MS[kind],
  });
}

/** ICC.1:2010, 7.2.6 and 7.3: the space of the profile's colors is told in its header, its tags after that. */
function kindOf(profile: Uint8Array): keyof typeof NANOSECONDS {
  const head = profile.subarray(0, HEAD_BYTES);
  const text = String.fromCharCode(...head);
  if (text.startsWith("GRAY", 16)) return "gray";
  return text.startsWith("RGB ", 16) && !text.includes("A2B0") ? "matrix" : "table";
}

/** The header of a profile and its table of tags, where it has no more than 64. */
const HEAD_BYTES = 132 + 64 * 12;

/** A transform and the memory that belongs to it. */
interface Built extends Kind {
  readonly instance: NativeInstance<ColorExports>;
  /** 0 or NOTHING_TO_DO where there is none. */
  readonly transform: number;
  readonly run: number;
}

/** The transform used last: making one takes longer than converting a small picture, and searches make it often. */
let idle: Built | undefined;

function taken(
  instance: NativeInstance<ColorExports>,
  { profile, layout, target, sixteenBit }: Kind,
): Built | undefined {
  const found = idle;
  if (found?.instance !== instance || found.layout !== layout || found.sixteenBit !== sixteenBit) return;
  if (!areEqual(found.profile, profile) || !areEqual(found.target, target)) return;
  idle = undefined;
  return found;
}

function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, at) => byte === other[at]);
}

function retire(built: Built): void {
  const previous = idle;
  idle = built;
  if (previous?.instance === built.instance && !previous.instance.broken) free(previous);
}

function free({ instance: { exports }, transform, run }: Built): void {
  if (transform > NOTHING_TO_DO) exports.color_close(transform);
  if (run) exports.free(run);
}

function build(instance: NativeInstance<ColorExports>, { profile, layout, target, sixteenBit }: Kind): Built {
  const { exports } = instance;
  const lengths = [profile.length, target.length] as const;
  const source = instance.allocate(lengths[0] + lengths[1]);
  let run = 0;
  try {
    run = instance.allocate(RUN_BYTES);
    instance.bytes(source, lengths[0]).set(profile);
    instance.bytes(source + lengths[0], lengths[1]).set(target);
    const transform = instance.run(() =>
      exports.color_open(source, lengths[0], LAYOUTS[layout], source + lengths[0], lengths[1], sixteenBit ? 1 : 0),
    );
    return { instance, profile: profile.slice(), layout, target: target.slice(), sixteenBit, transform, run };
  } catch (error) {
    exports.free(run);
    throw error;
  } finally {
    exports.free(source);
  }
}
