/** ICC profiles in PNG files: the chunk iCCP (PNG specification, 11.3.2.3). */
import { COLOR_TYPE } from "../../../../wasm/pixels/png-header.ts";
import { zlib } from "../../../../wasm/zlib.ts";
import { joined } from "../../../joined.ts";
import { grayProfileOf, type Space } from "../../color/space.ts";
import { makeChunk, TYPE } from "./chunks.ts";

/** Where IHDR ends, and where it says what samples there are. */
const HEADER_END = 33;
const COLOR_TYPE_AT = 25;
/** The name of the profile, and that it is deflated. */
const HEAD = new TextEncoder().encode("ICC\0\0");

/** To deflate a byte of a profile: tables of cameras and printers take a third of it, tables of few values twice as much. */
export const PROFILE_NANOSECONDS = 100;

/** A file without a profile with that of a space; gray samples get one for gray. */
export function embed(bytes: Uint8Array, space: Space): Uint8Array {
  const type = bytes[COLOR_TYPE_AT];
  const isGray = type === COLOR_TYPE.gray || type === COLOR_TYPE.grayAlpha;
  const profile = isGray ? grayProfileOf(space) : space.profile;
  if (!profile) return bytes;
  const chunk = makeChunk(TYPE.iCCP, HEAD, new Uint8Array(zlib().deflateSync(profile, { level: 9 })));
  return joined([bytes.subarray(0, HEADER_END), chunk, bytes.subarray(HEADER_END)]);
}
