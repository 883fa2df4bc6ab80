/** Metadata in WebP files: the chunks EXIF and XMP (RFC 9649, section 2.7.1.5). */
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { withoutPrefix } from "../../metadata/exif.ts";
import { chunksOf } from "./container.ts";
import { chunkOf, extended } from "./extended.ts";

const FLAG_EXIF = 0x08;
const FLAG_XMP = 0x04;

function read(bytes: Uint8Array): Metadata {
  let exif: Uint8Array | undefined;
  let xmp: Uint8Array | undefined;
  const chunks = chunksOf(bytes);
  while (chunks.next()) {
    if (chunks.isShort) continue;
    if (chunks.is("EXIF")) exif ??= chunks.payload;
    if (chunks.is("XMP ")) xmp ??= chunks.payload;
  }
  return { exif, xmp };
}

/** Behind the picture, before chunks of others. Only the extended layout has room for it. */
function write(bytes: Uint8Array, { exif, xmp }: Metadata): Uint8Array {
  const flags = (exif ? FLAG_EXIF : 0) | (xmp ? FLAG_XMP : 0);
  const behind = [...(exif ? [chunkOf("EXIF", withoutPrefix(exif))] : []), ...(xmp ? [chunkOf("XMP ", xmp)] : [])];
  return extended(bytes, flags, { behind });
}

export const metadata = { read, write } satisfies MetadataCarrier;
