/** The extended layout of WebP files, which alone has room for more than a picture (RFC 9649, section 2.7). */
import { joined } from "../../../joined.ts";
import { chunksOf, parseWebp, RIFF_HEADER_BYTES } from "./container.ts";
import { isOpaque } from "./decode.ts";
import { MARK_ID } from "./mark.ts";
import { vp8x } from "./mux.ts";

/** Where the flags stand in the chunk VP8X, its header included. */
const FLAGS_AT = 8;

interface Added {
  /** Before the picture. */
  readonly before?: readonly Uint8Array[];
  /** Behind the picture, before the mark. */
  readonly behind?: readonly Uint8Array[];
}

/** A file with further chunks, which these flags announce. */
export function extended(bytes: Uint8Array, flags: number, { before = [], behind = [] }: Added): Uint8Array {
  let head: Uint8Array | undefined;
  const pieces: Uint8Array[] = [];
  const marks: Uint8Array[] = [];
  const chunks = chunksOf(bytes);
  while (chunks.next()) {
    if (!head && chunks.is("VP8X")) head = chunks.whole.slice();
    else (chunks.is(MARK_ID) ? marks : pieces).push(chunks.whole);
  }
  head ??= headOf(bytes);
  head[FLAGS_AT]! |= flags;
  const file = joined([bytes.slice(0, RIFF_HEADER_BYTES), head, ...before, ...pieces, ...behind, ...marks]);
  new DataView(file.buffer).setUint32(4, file.length - 8, true);
  return file;
}

/** The chunk VP8X for a file that has none. */
function headOf(bytes: Uint8Array): Uint8Array {
  const file = parseWebp(bytes);
  return vp8x({ width: file.width, height: file.height, alpha: !isOpaque(file), animated: false });
}

/** A chunk as it is written. */
export function chunkOf(id: string, payload: Uint8Array): Uint8Array {
  const header = new Uint8Array(8);
  header.set(new TextEncoder().encode(id));
  new DataView(header.buffer).setUint32(4, payload.length, true);
  return joined([header, payload, new Uint8Array(payload.length & 1)]);
}
