/** What a JPEG XL file says, in our words. */
import type { Source } from "../../../../wasm/jxl-decode/decoder.ts";
import { decodeEstimate, type Output, readFacts, sixteenBitBytes } from "../../../../wasm/jxl-decode/decoder.ts";
import type { CodestreamFacts } from "../../../../wasm/jxl-decode/facts.ts";
import { MAX_UNPACKED_PROFILE_BYTES } from "../../../limits/isolate.ts";
import { MAX_FRAMES } from "../../../limits/pictures.ts";
import type { Facts } from "../../codec/format.ts";
import { guarded } from "../../codec/guard.ts";
import { profileOfCodePoints } from "../../color/code-points.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { damaged, readContainer } from "./container.ts";

/** A file, its codestream in one, and what that says. */
export interface Opened {
  readonly source: Source;
  readonly told: CodestreamFacts;
  readonly hasOriginal: boolean;
}

/** @throws ApiError 422 when boxes or headers are damaged */
export function openFile(bytes: Uint8Array): Opened {
  const { pieces, hasOriginal } = readContainer(bytes);
  const source = sourceOf(pieces);
  const told = guarded(() => readFacts(source, MAX_FRAMES), damaged);
  if (told.frames < 1) throw damaged();
  return { source, told, hasOriginal };
}

export function sourceOf(pieces: readonly Uint8Array[]): Source {
  return {
    length: pieces.reduce((sum, piece) => sum + piece.length, 0),
    copy(target, from) {
      let start = 0;
      for (const piece of pieces) {
        if (start >= from + target.length) return;
        if (start + piece.length <= from) {
          start += piece.length;
          continue;
        }
        const part = piece.subarray(Math.max(0, from - start), Math.max(0, from + target.length - start));
        if (part.length > 0) target.set(part, Math.max(0, start - from));
        start += piece.length;
      }
    },
  };
}

/** Transfer functions of ITU-T H.273. */
const TRANSFER = { linear: 8, srgb: 13, perceptual: 16, hybrid: 18 } as const;

/** What decoding gives, and the profile of that where it is not sRGB. */
interface Colors {
  readonly output: Output;
  readonly profile: Uint8Array | undefined;
}

/**
 * The codec's own color space becomes sRGB as pixels are made of it, but for high dynamic range, which goes the way
 * that it goes in other formats. Linear light gets a curve before it has 8 bits. All else is what the file says it is.
 */
export function colorsOf({ black, ownColors, primaries, transfer, gray, profile }: CodestreamFacts): Colors {
  if (black !== undefined) return { output: "inks", profile: isProfile(profile) ? profile : undefined };
  const isHigh = transfer === TRANSFER.perceptual || transfer === TRANSFER.hybrid;
  if (ownColors && !isHigh) return { output: "srgb", profile: undefined };
  const isLinear = transfer === TRANSFER.linear;
  const named = profileOfCodePoints(primaries, isLinear ? TRANSFER.srgb : transfer, gray);
  if (named === null) return { output: "stored", profile: isProfile(profile) ? profile : undefined };
  return { output: isLinear ? "from-linear" : "stored", profile: named === "srgb" ? undefined : named };
}

function isProfile({ length }: Uint8Array): boolean {
  return length > 0 && length <= MAX_UNPACKED_PROFILE_BYTES;
}

/** Said of files that lost something: what their quantization means depends on more than one number. */
const LOSSY_QUALITY = 90;

export function factsOf(bytes: Uint8Array): Facts {
  const { told } = openFile(bytes);
  const { width, height, orientation, frames, loops, alphaBits, gray, bits, modular, ownColors } = told;
  const { profile } = colorsOf(told);
  const estimate = decodeEstimate(told);
  return {
    width,
    height,
    orientation: orientation as Orientation,
    frames,
    loops: told.animated ? loops : 1,
    alpha: alphaBits > 0,
    colorspace: colorspaceOf(told),
    interlaced: told.progressive,
    subsample: subsampleOf(told),
    depth: bits * (gray ? 1 : told.black === undefined ? 3 : 4) + alphaBits,
    ...(isSixteenBit(told) && { bits, sixteenBitBytes: sixteenBitBytes(told) }),
    quality: modular && !ownColors ? 100 : LOSSY_QUALITY,
    codedBytes: told.codedBytes,
    decodeBytes: estimate.bytes,
    decodeMs: estimate.ms,
    ...(profile && { profile }),
  };
}

/** Whether pixels can be had of more than 8 bits: not through the profile of inks. */
function isSixteenBit({ bits, black }: CodestreamFacts): boolean {
  return bits > 8 && black === undefined;
}

function colorspaceOf({ black, gray, ycbcr }: CodestreamFacts): string {
  if (black !== undefined) return "CMYK";
  if (gray) return "Gray";
  return ycbcr ? "YCbCr" : "RGB";
}

const SUBSAMPLES: Readonly<Record<number, string>> = { 11: "4:4:4", 21: "4:2:2", 22: "4:2:0", 12: "4:4:0" };

function subsampleOf({ chromaStep: [x, y] }: CodestreamFacts): string {
  return SUBSAMPLES[x * 10 + y] ?? "4:4:4";
}
