/** What the first directory of a TIFF file says (TIFF 6.0, 3 June 1992), in our words. */
import { readTables } from "../../../../wasm/jpeg/header.ts";
import type { TiffFacts } from "../../../../wasm/tiff/reader.ts";
import type { Facts } from "../../codec/format.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { estimateQuality } from "../jpeg/quality.ts";

/** Values of the tag PhotometricInterpretation. */
const COLORSPACES: Readonly<Record<number, string>> = {
  0: "Gray",
  1: "Gray",
  2: "RGB",
  3: "Palette",
  5: "CMYK",
  6: "YCbCr",
  8: "Lab",
  9: "Lab",
  32844: "Gray",
  32845: "RGB",
};

/** Said where the tables are not in one place. */
const UNKNOWN_QUALITY = 75;
const DEFINE_TABLES = 0xdb;
const JPEG_COMPRESSION = 7;
const OLD_JPEG_COMPRESSION = 6;

export function factsOf(file: TiffFacts): Facts {
  const { width, height, bits, samples, orientation, photometric, profile, alpha } = file;
  const [h, v] = file.subsampling;
  const shared = { 11: "4:4:4", 21: "4:2:2", 22: "4:2:0", 41: "4:1:1", 42: "4:1:0", 12: "4:4:0" } as const;
  return {
    width,
    height,
    orientation: orientation >= 1 && orientation <= 8 ? (orientation as Orientation) : 1,
    frames: 1,
    loops: 1,
    alpha,
    colorspace: COLORSPACES[photometric] ?? "RGB",
    interlaced: false,
    subsample: shared[(h * 10 + v) as keyof typeof shared] ?? "4:4:4",
    depth: bits * samples,
    ...(file.sixteenBitBits > 0 && { bits: file.sixteenBitBits, sixteenBitBytes: width * 4 * file.bandRows }),
    quality: qualityOf(file),
    decodeBytes: file.workingBytes,
    ...(profile && { profile }),
  };
}

function qualityOf({ compression, tables }: TiffFacts): number {
  if (compression === OLD_JPEG_COMPRESSION) return UNKNOWN_QUALITY;
  if (compression !== JPEG_COMPRESSION) return 100;
  return estimateQuality({ multipleScans: false, components: [], tables: tables ? sharedTables(tables) : [] });
}

/** The quantization tables of an abbreviated JPEG stream, which has tables and no picture (ITU-T T.81 annex B.5). */
function sharedTables(stream: Uint8Array): (Uint16Array | undefined)[] {
  const tables: (Uint16Array | undefined)[] = [];
  for (let at = 2; at + 4 <= stream.length && stream[at] === 0xff;) {
    const length = (stream[at + 2]! << 8) | stream[at + 3]!;
    if (stream[at + 1] === DEFINE_TABLES) readTables(stream.subarray(at + 4, at + 2 + length), tables);
    at += 2 + length;
  }
  return tables;
}
