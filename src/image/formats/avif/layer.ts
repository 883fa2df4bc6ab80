/** What stills and animations have in common: rows into an encoder, and what comes of it into a file. */
import { BAND_ROWS } from "../../../../wasm/av1-encode/module.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { bytesPerPixel, type Rows } from "../../pixels/rows.ts";
import type { CodedLayer } from "../heif/write.ts";
import { readSequence, UNIT, unitOf, Units } from "./units.ts";

/** Code points of ISO/IEC 23091-2 for matrices: colors are coded by BT.601 or as they are. */
export const MATRIX = { "4:2:0": 6, "4:4:4": 6, rgb: 0 } as const;
/** Those of 10 bits: by BT.2020 without constant luminance, or as they are. */
export const SIXTEEN_BIT_MATRIX = { "4:2:0": 9, "4:4:4": 9, rgb: 0 } as const;

/** What takes rows in bands, each an even number of them but at the bottom. */
interface Taker {
  band(): Uint8Array;
  push(rows: number): void;
}

export function endsEarly(): ApiError {
  return new ApiError(422, "The image ends early");
}

/** Fills a taker with the next rows. */
export async function fill(taker: Taker, rows: Rows, count: number): Promise<void> {
  const stride = rows.width * bytesPerPixel(rows);
  for (let left = count, filled = 0; left > 0;) {
    const read = await rows.read(Math.min(BAND_ROWS - filled, left));
    if (!read) throw endsEarly();
    taker.band().set(read, filled * stride);
    filled += read.length / stride;
    left -= read.length / stride;
    if (filled < BAND_ROWS && left > 0) continue;
    taker.push(filled);
    filled = 0;
  }
}

/** What a file needs of a bitstream: no temporal delimiters (AV1 in ISOBMFF, section 2.5). */
export function unitsOnly(bitstream: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = [];
  const units = new Units(bitstream);
  while (units.next()) if (units.type !== UNIT.temporalDelimiter) pieces.push(units.whole);
  return joined(pieces);
}

export function layerOf(tiles: readonly Uint8Array[]): CodedLayer {
  const [first] = tiles;
  const sequence = first && unitOf(first, UNIT.sequence);
  if (!sequence) throw new RangeError("nothing was encoded");
  const { profile, level, tier, bits, gray, halfX, halfY, samplePosition } = readSequence(sequence);
  // AV1 in ISOBMFF, section 2.3.3.
  const config = Uint8Array.of(
    0x81,
    (profile << 5) | level,
    (tier << 7) | (bits > 8 ? 0x40 : 0) | (gray ? 0x10 : 0) | (halfX ? 8 : 0) | (halfY ? 4 : 0) | samplePosition,
    0,
  );
  return { config, bits: gray ? [bits] : [bits, bits, bits], tiles };
}
