/** The application extension of GIF files that holds XMP (XMP specification, part 3, 1.1.2). */
import { joined } from "../../../joined.ts";
import { standsAt } from "../../../same.ts";
import { TRAILER } from "./blocks.ts";

/** An extension of an application, the length of its name, and the name. */
export const PACKET_HEAD = Uint8Array.of(0x21, 0xff, 11, ...new TextEncoder().encode("XMP DataXMP"));
/**
 * What stands behind a packet. Readers take bytes of the packet for lengths of sub-blocks, and land anywhere in this: every byte
 * of it leads to its end.
 */
export const PACKET_TAIL = Uint8Array.from({ length: 258 }, (_, index) => (index === 0 ? 1 : Math.max(0, 256 - index)));
/** A packet is sought in so many bytes before the trailer. */
const MAX_SOUGHT_BYTES = 512 << 10;

/** The extension of a packet, which must hold no zero. */
export function packetBlock(xmp: Uint8Array): Uint8Array {
  return joined([PACKET_HEAD, xmp, PACKET_TAIL]);
}

/** Where the blocks of the picture end: before the trailer, and before a packet that is the last block. */
export function pictureEnd(bytes: Uint8Array): number {
  const end = bytes.length - TRAILER.length;
  if (!standsAt(bytes, end - PACKET_TAIL.length, PACKET_TAIL)) return end;
  const first = Math.max(0, end - MAX_SOUGHT_BYTES);
  for (let at = bytes.lastIndexOf(PACKET_HEAD[0]!, end - PACKET_TAIL.length); at >= first;) {
    if (standsAt(bytes, at, PACKET_HEAD)) return at;
    if (at === 0) break;
    at = bytes.lastIndexOf(PACKET_HEAD[0]!, at - 1);
  }
  return end;
}
