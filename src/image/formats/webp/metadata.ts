/** Metadata in WebP files: the chunks EXIF and XMP (RFC 9649, section 2.7.1.5). */
import { joined } from "../../../joined.ts";
import type { Metadata, MetadataCarrier } from "../../metadata.ts";
import { withoutPrefix } from "../../metadata/exif.ts";
import { chunksOf, parseWebp, RIFF_HEADER_BYTES } from "./container.ts";
import { isOpaque } from "./decode.ts";
import { MARK_ID } from "./mark.ts";
import { vp8x } from "./mux.ts";

const FLAG_EXIF = 0x08;
const FLAG_XMP = 0x04;
/** Where the flags stand in the chunk VP8X, its header included. */
export const FLAGS_AT = 8;

function read(bytes: Uint8Array): Metadata {
  let exif: Uint8Array | undefined;
  let xmp: Uint8Array | undefined;
  for (const { id, payload, cut } of chunksOf(bytes.subarray(RIFF_HEADER_BYTES))) {
    if (id === "EXIF" && !cut) exif ??= payload;
    if (id === "XMP " && !cut) xmp ??= payload;
  }
  return { exif, xmp };
}

/** Behind the picture, before chunks of others. Only the extended layout has room for it. */
function write(bytes: Uint8Array, { exif, xmp }: Metadata): Uint8Array {
  const chunks = [...chunksOf(bytes.subarray(RIFF_HEADER_BYTES))];
  const own = chunks.find(({ id }) => id === "VP8X");
  const head = own ? own.padded.slice() : headOf(bytes);
  head[FLAGS_AT]! |= (exif ? FLAG_EXIF : 0) | (xmp ? FLAG_XMP : 0);
  const others = chunks.filter((chunk) => chunk !== own);
  const isBehind = ({ id }: { readonly id: string }) => id === MARK_ID;
  const file = joined([
    bytes.slice(0, RIFF_HEADER_BYTES),
    head,
    ...others.filter((chunk) => !isBehind(chunk)).map(({ padded }) => padded),
    ...(exif ? [chunkOf("EXIF", withoutPrefix(exif))] : []),
    ...(xmp ? [chunkOf("XMP ", xmp)] : []),
    ...others.filter(isBehind).map(({ padded }) => padded),
  ]);
  new DataView(file.buffer).setUint32(4, file.length - 8, true);
  return file;
}

/** The chunk VP8X for a file that has none. */
export function headOf(bytes: Uint8Array): Uint8Array {
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

export const metadata = { read, write } satisfies MetadataCarrier;
