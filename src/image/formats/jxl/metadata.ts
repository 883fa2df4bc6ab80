/** Metadata in boxes of JPEG XL files (ISO/IEC 18181-2, 9.4 to 9.6), compressed by Brotli or not. */
import { zlib } from "../../../../wasm/zlib.ts";
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { withoutPrefix } from "../../metadata/exif.ts";
import { box } from "../heif/boxes.ts";
import { Boxes, START } from "./container.ts";
import { isCodestream } from "./signature.ts";

/** More than is kept of any kind; what unpacks to more is left out. */
const MAX_BYTES = 512 << 10;
const TYPE_BYTES = 4;
/** How many bytes stand before the TIFF header stands before them. */
const OFFSET_BYTES = 4;

function read(bytes: Uint8Array): Metadata {
  try {
    const found: { exif?: Uint8Array; xmp?: Uint8Array } = {};
    if (isCodestream(bytes)) return {};
    const seen = new Set<string>();
    const boxes = new Boxes(bytes);
    while (boxes.next()) {
      // The first of a kind counts: no other is unpacked.
      const kind = kindOf(boxes);
      if (kind === undefined || seen.has(kind)) continue;
      seen.add(kind);
      const { type, content } = unpacked(boxes);
      if (type === "Exif" && content.length > OFFSET_BYTES) {
        const skipped = new DataView(content.buffer, content.byteOffset).getUint32(0);
        found.exif ??= content.subarray(OFFSET_BYTES + skipped);
      }
      if (type === "xml ") found.xmp ??= content;
    }
    return found;
  } catch (error) {
    if (error instanceof ApiError) return {};
    throw error;
  }
}

/** Of which kind of metadata a box is, compressed or not; undefined for one of none. */
function kindOf(part: Boxes): string | undefined {
  const type = part.is("brob") ? String.fromCharCode(...part.content.subarray(0, TYPE_BYTES)) : part.type;
  return type === "Exif" || type === "xml " ? type : undefined;
}

/** What a box of metadata holds, and as what, compressed or not. */
function unpacked(part: Boxes): Pick<Boxes, "type" | "content"> {
  if (!part.is("brob")) return part;
  const type = kindOf(part) ?? part.type;
  try {
    const content = zlib().brotliDecompressSync(part.content.subarray(TYPE_BYTES), { maxOutputLength: MAX_BYTES });
    return { type, content: new Uint8Array(content.buffer, content.byteOffset, content.length) };
  } catch {
    return part;
  }
}

function write(bytes: Uint8Array, { exif, xmp }: Metadata): Uint8Array {
  const added: Uint8Array[] = [];
  if (exif) added.push(box("Exif", joined([new Uint8Array(OFFSET_BYTES), withoutPrefix(exif)])));
  if (xmp) added.push(box("xml ", xmp));
  if (added.length === 0) return bytes;
  if (isCodestream(bytes)) return joined([START, box("jxlc", bytes), ...added]);
  // The last box may be as long as the rest of the file is, which it then is no more.
  const pieces: Uint8Array[] = [];
  const boxes = new Boxes(bytes);
  while (boxes.next()) pieces.push(boxes.isOpen ? box(boxes.type, boxes.content) : boxes.whole);
  return joined([...pieces, ...added]);
}

export const metadata = { read, write } satisfies MetadataCarrier;
