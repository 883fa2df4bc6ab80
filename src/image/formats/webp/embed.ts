/** ICC profiles in WebP files: the chunk ICCP, before the picture (RFC 9649, section 2.7.1.4). */
import type { Space } from "../../color/space.ts";
import { chunkOf, extended } from "./extended.ts";

const FLAG_PROFILE = 0x20;

/** A file without a profile with that of a space. */
export function embed(bytes: Uint8Array, { profile }: Space): Uint8Array {
  return extended(bytes, FLAG_PROFILE, { before: [chunkOf("ICCP", profile)] });
}
