/** What is to be written, the way there through pixels, and the memory that it takes to look at the result. */
import { scorePeakBytes } from "../../../wasm/score/score.ts";
import { isolateBudget } from "../budget.ts";
import type { EncodeSettings, FormatDefinition } from "../format.ts";
import { whole } from "../geometry.ts";
import { isWorthKeeping, keptBytes, keptPicture } from "../kept.ts";
import type { Picture } from "../picture.ts";
import { picturePeakBytes, type Stored } from "../pipeline.ts";
import type { Plan } from "../plan.ts";
import type { Way } from "./search.ts";
import { sheetBytes } from "./sheet.ts";

type Encoder = FormatDefinition & Required<Pick<FormatDefinition, "encode" | "encodePeakBytes">>;

/** A picture that is to be written. */
export interface Subject {
  readonly stored: Stored;
  readonly plan: Plan;
  /** What the plan makes of what is stored, without alpha if the format has none. */
  readonly picture: Picture;
  readonly format: Encoder;
  readonly settings: EncodeSettings;
  /** Of a file that is there already: one that is plainly larger need not be made. */
  readonly rivalBytes?: number | undefined;
  /** Called when nothing will read the file again. */
  readonly whenRead?: (() => void) | undefined;
  /** The picture keeps its pixels. */
  readonly isKept?: boolean;
}

/**
 * The same with pixels that are computed once, if they are few and there is memory for them.
 * @param isLast nothing else will read the file
 */
export function keepingPixels(subject: Subject, isLast: boolean): Subject {
  const { picture, whenRead } = subject;
  if (!isWorthKeeping(picture)) return subject;
  const keeping = { ...subject, picture: keptPicture(picture, isLast ? whenRead : undefined), isKept: true };
  return isolateBudget.canHold(pixelsOf(keeping).peakBytes) ? keeping : subject;
}

export interface PixelsWay extends Way {
  readonly peakBytes: number;
  /** The same when no result is kept while another is made. */
  readonly frugalBytes: number;
}

/** The way through the format's encoder. */
export function pixelsOf({ stored, plan, picture, isKept = false, format, settings }: Subject): PixelsWay {
  const over = (pixels: Picture) => {
    const encode = (tried: EncodeSettings) => format.encode(pixels, tried);
    const preview = format.preview && ((tried: EncodeSettings) => format.preview!(pixels, tried));
    return { encode, finish: encode, preview };
  };
  const encoder = format.encodePeakBytes(picture, settings);
  // A format decodes in the memory that it encodes in; the best result so far is kept beside.
  const work = Math.max(encoder, resultDecodeBytes(format, picture));
  const pictureBytes = picturePeakBytes(stored, plan) + (isKept ? keptBytes(picture) : 0);
  const frugalBytes = pictureBytes + comparingBytes(picture) + work;
  return {
    peakBytes: frugalBytes + encoder / 4,
    frugalBytes,
    ...over(picture),
    over,
    encodeSheet: (sheet) => (tried) => format.encode(sheet.picture, tried),
    variants: format.losses?.map((loss) => ({ loss })) ?? format.subsamplings?.map((subsample) => ({ subsample })),
  };
}

/** Bytes that comparing with a picture of this size holds, besides the two pictures. */
export function comparingBytes(picture: Picture): number {
  return sheetBytes(picture) + scorePeakBytes(picture) * (picture.opaque ? 1 : 2);
}

/** Bytes that decoding a result of this size holds at most. */
export function resultDecodeBytes(format: FormatDefinition, { width, height, opaque, frames }: Picture): number {
  const facts = {
    width,
    height,
    orientation: 1,
    frames,
    loops: 0,
    alpha: !opaque,
    colorspace: "YCbCr",
    interlaced: false,
    subsample: "4:2:0",
    depth: 24,
    quality: 80,
  } as const;
  return format.decodePeakBytes(facts, { box: whole(facts), width, height });
}
