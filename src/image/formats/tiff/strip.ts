/** The one picture of a TIFF file that is read, alone: what says how it is stored, and what that points to. */
import { copied, type Stripped } from "../../containers/stripped.ts";
import {
  type Directory,
  directoryBytes,
  type Entry,
  type Field,
  Tiff,
  TIFF_HEADER_BYTES,
  writeDirectory,
  writeHeader,
} from "../../metadata/directories.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { placeOf } from "./directories.ts";
import { longs, shorts, TYPE } from "./fields.ts";

/** Strips and tiles: where they lie, and how many bytes they have. */
const PIECES = [
  { offsets: 273, counts: 279 },
  { offsets: 324, counts: 325 },
] as const;
const ORIENTATION = 274;
const COMPRESSION = 259;
/** Its files have pieces that no list of strips names. */
const OLD_JPEG = 6;
const UNCOMPRESSED = 1;

/** Tags that say how pixels are stored and what they mean, pieces and orientation excepted (TIFF 6.0; ICC.1). */
const KEPT: ReadonlySet<number> = new Set([
  256, // ImageWidth
  257, // ImageLength
  258, // BitsPerSample
  COMPRESSION,
  262, // PhotometricInterpretation
  266, // FillOrder
  277, // SamplesPerPixel
  278, // RowsPerStrip
  280, // MinSampleValue
  281, // MaxSampleValue
  282, // XResolution
  283, // YResolution
  284, // PlanarConfiguration
  290, // GrayResponseUnit
  291, // GrayResponseCurve
  292, // T4Options
  293, // T6Options
  296, // ResolutionUnit
  301, // TransferFunction
  317, // Predictor
  318, // WhitePoint
  319, // PrimaryChromaticities
  320, // ColorMap
  321, // HalftoneHints
  322, // TileWidth
  323, // TileLength
  332, // InkSet
  334, // NumberOfInks
  336, // DotRange
  338, // ExtraSamples
  339, // SampleFormat
  340, // SMinSampleValue
  341, // SMaxSampleValue
  342, // TransferRange
  347, // JPEGTables
  529, // YCbCrCoefficients
  530, // YCbCrSubSampling
  531, // YCbCrPositioning
  532, // ReferenceBlackWhite
  34_675, // ICC profile
]);

interface Piece {
  readonly at: number;
  readonly bytes: number;
}

/**
 * Leaves out all other pictures, metadata, and bytes that nothing points to.
 * @returns null for a file of which that cannot be told: BigTIFF, RAW files of cameras, and files with wrong places
 */
export function strip(bytes: Uint8Array, tag: Orientation = 1): Stripped | null {
  const tiff = Tiff.of(bytes);
  if (!tiff) return null;
  const place = placeOf(bytes);
  if (place.kind !== "directory" || place.mended) return null;
  const entries = tiff.entries(place.at || tiff.first);
  const found = PIECES.flatMap(({ offsets, counts }) => piecesIn(tiff, entries, offsets, counts) ?? []);
  const [pieces] = found;
  if (!pieces || found.length !== 1 || !areWhole(tiff, entries, pieces.list)) return null;
  const total = pieces.list.reduce((sum, piece) => sum + piece.bytes, 0);
  const directory = directoryOf(tiff, entries, pieces, tag);
  const at = TIFF_HEADER_BYTES + total + (total & 1);
  return copied(at + directoryBytes(directory), () => {
    const file = new Uint8Array(at + directoryBytes(directory));
    let end = TIFF_HEADER_BYTES;
    for (const piece of pieces.list) {
      file.set(bytes.subarray(piece.at, piece.at + piece.bytes), end);
      end += piece.bytes;
    }
    writeHeader(file, at, tiff.little);
    writeDirectory(directory, at, file, tiff.little);
    return file;
  });
}

interface Pieces {
  readonly tag: number;
  readonly counts: number;
  readonly list: readonly Piece[];
}

function piecesIn(tiff: Tiff, entries: readonly Entry[], offsets: number, counts: number): Pieces | undefined {
  const starts = numbers(tiff, entries, offsets);
  const lengths = numbers(tiff, entries, counts);
  if (starts.length === 0 || starts.length !== lengths.length) return undefined;
  return { tag: offsets, counts, list: starts.map((at, index) => ({ at, bytes: lengths[index]! })) };
}

/** Whether all pieces lie in the file, none in the place of another, and have as many bytes as they must. */
function areWhole({ bytes, ...tiff }: Tiff, entries: readonly Entry[], list: readonly Piece[]): boolean {
  const number = (tag: number, otherwise: number) => numbers(tiff, entries, tag)[0] ?? otherwise;
  const total = list.reduce((sum, piece) => sum + piece.bytes, 0);
  const compression = number(COMPRESSION, UNCOMPRESSED);
  const rawBytes = Math.ceil((number(256, 0) * number(258, 1) * number(277, 1)) / 8) * number(257, 0);
  if (compression === OLD_JPEG || (compression === UNCOMPRESSED && total < rawBytes)) return false;
  return total <= bytes.length && list.every((piece) => piece.bytes > 0 && piece.at + piece.bytes <= bytes.length);
}

function directoryOf({ little }: Tiff, entries: readonly Entry[], pieces: Pieces, tag: Orientation): Directory {
  let end = TIFF_HEADER_BYTES;
  const starts = pieces.list.map(({ bytes }) => {
    const at = end;
    end += bytes;
    return at;
  });
  const kept = new Map(entries.filter((entry) => KEPT.has(entry.tag)).map((entry) => [entry.tag, entry]));
  const fields: Field[] = [
    ...[...kept.values()].map(({ tag: own, type, count, value }) => ({ tag: own, type, count, value })),
    longs(pieces.tag, starts, little),
    longs(
      pieces.counts,
      pieces.list.map(({ bytes }) => bytes),
      little,
    ),
    ...(tag === 1 ? [] : [shorts(ORIENTATION, [tag], little)]),
  ];
  return { fields, below: new Map() };
}

/** The numbers of a tag that has whole ones of two or four bytes. */
function numbers({ little }: Pick<Tiff, "little">, entries: readonly Entry[], tag: number): number[] {
  const entry = entries.find((one) => one.tag === tag);
  if (!entry || (entry.type !== TYPE.short && entry.type !== TYPE.long)) return [];
  const { value, type, count } = entry;
  const view = new DataView(value.buffer, value.byteOffset, value.length);
  return Array.from({ length: count }, (_, index) =>
    type === TYPE.short ? view.getUint16(index * 2, little) : view.getUint32(index * 4, little),
  );
}
