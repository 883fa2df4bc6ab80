/** A GIF file without what its picture does not need, everything else byte for byte (GIF89a specification). */
import { ofPieces, type Stripped } from "../../containers/stripped.ts";
import { TRAILER } from "./blocks.ts";
import { Blocks, tableBytes } from "./container.ts";
import { isMark } from "./mark.ts";
import { pictureEnd } from "./packet.ts";

const HEADER_BYTES = 13;
const COMMENT = 0xfe;
const APPLICATION = 0xff;
/** How often it plays, and what its colors mean. */
const NEEDED: ReadonlySet<string> = new Set(["NETSCAPE2.0", "ANIMEXTS1.0", "ICCRGBG1012"]);

/**
 * Leaves out comments, XMP and what other applications wrote, and what follows the trailer, or the picture of a file that goes
 * on with something else. Null where no picture is whole, or another one is cut short.
 */
export function strip(bytes: Uint8Array): Stripped | null {
  const markEnd = pictureEnd(bytes);
  return ofPieces(bytes, (keep) => {
    const from = HEADER_BYTES + tableBytes(bytes[10]!);
    keep(bytes.subarray(0, from));
    const blocks = new Blocks(bytes, from);
    let hasPicture = false;
    while (blocks.next() && !blocks.isCut) {
      hasPicture ||= blocks.isImage;
      // A mark is the last block: to compare all that lies before with the checksum of each would take time squared.
      const isLast = bytes[blocks.end] === TRAILER[0] || blocks.end === markEnd;
      const marks = isLast && isMark(bytes, blocks.at);
      if (marks || isNeeded(bytes, blocks)) keep(blocks.whole);
    }
    if (!hasPicture || blocks.isImage) return false;
    keep(blocks.isAtTrailer ? bytes.subarray(blocks.at, blocks.at + TRAILER.length) : TRAILER);
    return true;
  });
}

function isNeeded(bytes: Uint8Array, { label, at }: Blocks): boolean {
  if (label !== APPLICATION && label !== COMMENT) return true;
  return label === APPLICATION && NEEDED.has(String.fromCharCode(...bytes.subarray(at + 3, at + 14)));
}
