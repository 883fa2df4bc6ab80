/** ICC profiles in WebP files: the chunk ICCP, before the picture (RFC 9649, section 2.7.1.4). */
import { joined } from "../../../joined.ts";
import type { Space } from "../../color/space.ts";
import { chunksOf, RIFF_HEADER_BYTES } from "./container.ts";
import { chunkOf, FLAGS_AT, headOf } from "./metadata.ts";

const FLAG_PROFILE = 0x20;

/** A file without a profile with that of a space. Only the extended layout has room for it. */
export function embed(bytes: Uint8Array, { profile }: Space): Uint8Array {
  const chunks = [...chunksOf(bytes.subarray(RIFF_HEADER_BYTES))];
  const own = chunks.find(({ id }) => id === "VP8X");
  const head = own ? own.padded.slice() : headOf(bytes);
  head[FLAGS_AT]! |= FLAG_PROFILE;
  const others = chunks.filter((chunk) => chunk !== own);
  const file = joined([
    bytes.slice(0, RIFF_HEADER_BYTES),
    head,
    chunkOf("ICCP", profile),
    ...others.map(({ padded }) => padded),
  ]);
  new DataView(file.buffer).setUint32(4, file.length - 8, true);
  return file;
}
