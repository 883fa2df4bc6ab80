/** Metadata in HEIF files: items of the types Exif and mime that describe the primary one (ISO/IEC 23008-12, annex A). */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { withoutPrefix } from "../../metadata/exif.ts";
import type { Description } from "./blank.ts";
import { uint32 } from "./boxes.ts";
import type { Items } from "./item.ts";
import { readItems } from "./items.ts";
import { withDescriptions } from "./strip.ts";

const XMP = "application/rdf+xml";
/** Items that describe a picture, at most; cameras write two. */
const MAX_DESCRIPTIONS = 16;
/** Bytes of a packet in which its first element begins. */
const HEAD_BYTES = 200;

function read(bytes: Uint8Array): Metadata {
  try {
    const items = readItems(bytes);
    const found: { exif?: Uint8Array; xmp?: Uint8Array } = {};
    const describing = items.references.filter(({ type, to }) => type === "cdsc" && to.includes(items.primary.id));
    for (const { from } of describing.slice(0, MAX_DESCRIPTIONS)) addDescription(found, items, from);
    return found;
  } catch (error) {
    if (error instanceof ApiError || error instanceof RangeError) return {};
    throw error;
  }
}

function addDescription(found: { exif?: Uint8Array; xmp?: Uint8Array }, items: Items, id: number): void {
  const item = items.item(id);
  if (item.type === "Exif" ? found.exif : found.xmp) return;
  if (item.type === "Exif" || item.type === "mime") items.countReading(items.length(item));
  if (item.type === "Exif") {
    const data = items.data(item);
    if (data.length < 4) return;
    // How many bytes stand before the TIFF header.
    const skipped = new DataView(data.buffer, data.byteOffset).getUint32(0);
    found.exif ??= data.subarray(4 + skipped);
  } else if (item.type === "mime") {
    const data = items.data(item);
    if (/<(?:\?xpacket|x:xmpmeta|rdf:RDF)/.test(new TextDecoder().decode(data.subarray(0, HEAD_BYTES))))
      found.xmp ??= data;
  }
}

function write(bytes: Uint8Array, data: Metadata): Uint8Array {
  return withDescriptions(bytes, descriptionsOf(data));
}

/** Metadata as items. */
export function descriptionsOf({ exif, xmp }: Metadata): Description[] {
  const descriptions: Description[] = [];
  if (exif) descriptions.push({ type: "Exif", data: joined([uint32(0), withoutPrefix(exif)]) });
  if (xmp) descriptions.push({ type: "mime", contentType: XMP, data: xmp });
  return descriptions;
}

export const metadata = { read, write } satisfies MetadataCarrier;
