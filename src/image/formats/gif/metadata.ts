/** Metadata in GIF files: XMP alone. */
import { joined } from "../../../joined.ts";
import { standsAt } from "../../../same.ts";
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { TRAILER } from "./blocks.ts";
import { Blocks, tableBytes } from "./container.ts";
import { PACKET_HEAD, PACKET_TAIL, packetBlock } from "./packet.ts";

const HEADER_BYTES = 13;
const APPLICATION = 0xff;

function read(bytes: Uint8Array): Metadata {
  const blocks = new Blocks(bytes, HEADER_BYTES + tableBytes(bytes[10] ?? 0));
  while (blocks.next()) {
    const { at, end, label } = blocks;
    if (label !== APPLICATION || !standsAt(bytes, at, PACKET_HEAD)) continue;
    const from = at + PACKET_HEAD.length;
    const to = end - PACKET_TAIL.length;
    if (end <= bytes.length && to > from) return { xmp: bytes.subarray(from, to) };
  }
  return {};
}

/** Behind the picture and the mark of the file, which is about what lies before it. */
function write(bytes: Uint8Array, { xmp }: Metadata): Uint8Array {
  // Readers of sub-blocks would end at a zero.
  if (!xmp || xmp.includes(0)) return bytes;
  return joined([bytes.subarray(0, bytes.length - TRAILER.length), packetBlock(xmp), TRAILER]);
}

export const metadata = { read, write } satisfies MetadataCarrier;
