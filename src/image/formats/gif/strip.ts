/** A GIF file without what its picture does not need, everything else byte for byte (GIF89a specification). */
import { ofPieces, type Stripped } from "../../stripped.ts";
import { TRAILER } from "./blocks.ts";
import { skipSubBlocks } from "./container.ts";
import { isMark } from "./mark.ts";

const HEADER_BYTES = 13;
const IMAGE_BYTES = 10;
const IMAGE = 0x2c;
const EXTENSION = 0x21;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
/** How often it plays, and what its colors mean. */
const NEEDED: ReadonlySet<string> = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

/** Leaves out comments, XMP and what other applications wrote, and what follows the trailer. */
export function strip(bytes: Uint8Array): Stripped {
  return ofPieces(bytes, (keep) => {
    let at = HEADER_BYTES + tableBytes(bytes[10]!);
    keep(bytes.subarray(0, at));
    while (at < bytes.length && bytes[at] !== TRAILER[0]) {
      const end = blockEnd(bytes, at);
      if (end > bytes.length) return false;
      // A mark is the last block: to compare all that lies before with the checksum of each would take time squared.
      const marks = bytes[end] === TRAILER[0] && isMark(bytes, at);
      if (marks || isNeeded(bytes, at)) keep(bytes.subarray(at, end));
      at = end;
    }
    const hasTrailer = at < bytes.length;
    keep(hasTrailer ? bytes.subarray(at, at + TRAILER.length) : TRAILER);
    return true;
  });
}

/** Where the block at `at` ends; beyond the file when it is none. */
function blockEnd(bytes: Uint8Array, at: number): number {
  if (bytes[at] === 0) return at + 1;
  if (bytes[at] === EXTENSION) return skipSubBlocks(bytes, at + 2);
  if (bytes[at] !== IMAGE) return Number.POSITIVE_INFINITY;
  return skipSubBlocks(bytes, at + IMAGE_BYTES + tableBytes(bytes[at + 9] ?? 0) + 1);
}

function isNeeded(bytes: Uint8Array, at: number): boolean {
  if (bytes[at] === 0) return false;
  if (bytes[at] !== EXTENSION || (bytes[at + 1] !== APPLICATION && bytes[at + 1] !== COMMENT)) return true;
  return bytes[at + 1] === APPLICATION && NEEDED.has(String.fromCharCode(...bytes.subarray(at + 3, at + 14)));
}

/** The bytes of the color table that a packed field announces. */
function tableBytes(flags: number): number {
  return flags & 0x80 ? 3 << ((flags & 7) + 1) : 0;
}
