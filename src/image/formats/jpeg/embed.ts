/** ICC profiles in JPEG files: segments before the picture (ICC.1:2010, annex B.4). */
import { joined } from "../../../joined.ts";
import { grayProfileOf, type Space } from "../../color/space.ts";
import { headerOf } from "./facts.ts";
import { behindJfif, MAX_PAYLOAD_BYTES, namedSegment, PROFILE_NAME } from "./segments.ts";

const APP2 = 0xe2;
/** What a segment holds of it, beside the number of the piece and that of all pieces. */
const PIECE_BYTES = MAX_PAYLOAD_BYTES - PROFILE_NAME.length - 2;

/** A file without a profile with that of a space; where all pixels are gray, its samples get one for gray. */
export function embed(bytes: Uint8Array, space: Space): Uint8Array {
  const profile = headerOf(bytes).colors === "Gray" ? grayProfileOf(space) : space.profile;
  if (!profile) return bytes;
  const at = behindJfif(bytes);
  return joined([bytes.subarray(0, at), ...profileSegments(profile), bytes.subarray(at)]);
}

/** The segments that hold a profile. */
export function profileSegments(profile: Uint8Array): Uint8Array[] {
  const count = Math.ceil(profile.length / PIECE_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const piece = profile.subarray(index * PIECE_BYTES, (index + 1) * PIECE_BYTES);
    return namedSegment(APP2, PROFILE_NAME, joined([Uint8Array.of(index + 1, count), piece]));
  }).filter((segment) => segment !== undefined);
}
