/** What a JPEG file says about how its picture lies: the orientation tag of its EXIF segment. */
import { joined } from "../../../joined.ts";
import { exifOf } from "../../metadata/orientation.ts";
import type { Orientation } from "../../pixels/geometry.ts";

const EXIF = 0xe1;
const JFIF = 0xe0;

/** A marker segment that says how the picture is to be turned; empty where it lies right. */
export function tagSegment(orientation: Orientation): Uint8Array {
  if (orientation === 1) return new Uint8Array(0);
  const exif = exifOf(orientation);
  return joined([Uint8Array.from([0xff, EXIF, 0, exif.length + 2]), exif]);
}

/** A file without EXIF data that says how its picture is to be turned, behind its JFIF segment if it has one. */
export function tagged(file: Uint8Array, orientation: Orientation): Uint8Array {
  if (orientation === 1) return file;
  const at = file[3] === JFIF ? 4 + ((file[4]! << 8) | file[5]!) : 2;
  return joined([file.subarray(0, at), tagSegment(orientation), file.subarray(at)]);
}
