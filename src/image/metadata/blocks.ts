/** What files say about a picture besides how it looks, and what is kept of it in a result. */
import { exifOfFile, keptExif } from "./exif.ts";
import { keptIptc } from "./iptc.ts";
import type { MetadataOption } from "./metadata-option.ts";
import { keptXmp } from "./xmp.ts";

/** The blocks of metadata that a file has, each as its own specification has it. */
export interface Metadata {
  /** A TIFF header and directories (EXIF 3.0, 4.5). */
  readonly exif?: Uint8Array | undefined;
  /** The file is TIFF: its first directory says what EXIF does, and offsets count from its beginning. */
  readonly tiff?: Uint8Array | undefined;
  /** An XMP packet (ISO 16684-1), UTF-8. */
  readonly xmp?: Uint8Array | undefined;
  /** Records of IPTC-IIM 4.2. */
  readonly iptc?: Uint8Array | undefined;
}

/** Where files of a format have metadata. */
export interface MetadataCarrier {
  /** Views of the file; what is damaged is left out. */
  readonly read: (bytes: Uint8Array) => Metadata;
  /** A file without metadata with some, as far as it can hold each kind; absent where the format is only read. */
  readonly write?: (bytes: Uint8Array, metadata: Metadata) => Uint8Array;
}

/**
 * What is kept of a file's metadata, in memory of its own: nothing says how the picture is to be turned, no thumbnail,
 * and nothing about the size and the colors of the original. Blocks that are damaged, or larger than any in use, are
 * left out. What says that a picture is synthetic is kept even where nothing else is.
 * @param dropsMark that is to go as well
 */
export function keptMetadata(found: Metadata, option: MetadataOption, dropsMark = false): Metadata {
  const xmp = found.xmp && keptXmp(found.xmp, option, dropsMark);
  if (option === "none") return { xmp };
  return {
    exif: found.exif ? keptExif(found.exif, option) : found.tiff && exifOfFile(found.tiff, option),
    xmp,
    iptc: found.iptc && keptIptc(found.iptc, option),
  };
}

/** Bytes that metadata takes in a file at most, besides its own: headers of segments, chunks or items. */
const OVERHEAD_BYTES = 400;

/** About how much larger a file is with metadata. */
export function metadataBytes({ exif, xmp, iptc }: Metadata): number {
  const bytes = (exif?.length ?? 0) + (xmp?.length ?? 0) + (iptc?.length ?? 0);
  return bytes === 0 ? 0 : bytes + OVERHEAD_BYTES;
}
