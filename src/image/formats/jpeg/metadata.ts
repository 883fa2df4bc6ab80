/** Metadata in JPEG files: marker segments before the picture (EXIF 3.0, 4.7; XMP part 3; Photoshop's file formats). */
import { joined } from "../../../joined.ts";
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { exifWithOrientation } from "../../metadata/exif.ts";
import { iptcIn, resourcesOf } from "../../metadata/iptc.ts";
import { exifOrientation } from "../../metadata/orientation.ts";
import { exifOf } from "../../metadata/orientation.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { behindJfif, namedSegment, segmentNamed, Segments, XMP_NAME } from "./segments.ts";

const APP1 = 0xe1;
const APP13 = 0xed;
const EXIF = "Exif\0\0";
const PHOTOSHOP = "Photoshop 3.0\0";

function read(bytes: Uint8Array): Metadata {
  let exif: Uint8Array | undefined;
  let xmp: Uint8Array | undefined;
  const resources: Uint8Array[] = [];
  const segments = new Segments(bytes);
  while (segments.next()) {
    if (segments.code === APP1) {
      exif ??= segments.contentBehind(EXIF);
      xmp ??= segments.contentBehind(XMP_NAME);
    }
    // Resources that are too long for a segment go on in the next.
    const more = segments.code === APP13 ? segments.contentBehind(PHOTOSHOP) : undefined;
    if (more) resources.push(more);
  }
  return { exif, xmp, iptc: resources.length > 0 ? iptcIn(joined(resources)) : undefined };
}

/** Behind the JFIF segment, where EXIF stands first; an orientation tag that the file has stays in it. */
function write(bytes: Uint8Array, { exif, xmp, iptc }: Metadata): Uint8Array {
  const orientation = exifOrientation(read(bytes).exif);
  const [head, rest] = apart(bytes, orientation);
  const tagged = orientation === 1 ? exif : exif && exifWithOrientation(exif, orientation);
  const lying = orientation === 1 ? undefined : exifOf(orientation).subarray(EXIF.length);
  const blocks = [
    segment(APP1, EXIF, tagged) ?? segment(APP1, EXIF, lying),
    segment(APP1, XMP_NAME, xmp),
    segment(APP13, PHOTOSHOP, iptc && resourcesOf(iptc)),
  ];
  return joined([...head, ...blocks.filter((block) => block !== undefined), ...rest]);
}

/** What stands before metadata, and what follows, without a segment that says how the picture lies. */
function apart(bytes: Uint8Array, orientation: Orientation): [head: Uint8Array[], rest: Uint8Array[]] {
  const at = behindJfif(bytes);
  const tag = orientation === 1 ? undefined : segmentNamed(bytes, APP1, EXIF);
  const head = [bytes.subarray(0, at)];
  if (!tag) return [head, [bytes.subarray(at)]];
  return [head, [bytes.subarray(at, tag.at), bytes.subarray(tag.end)]];
}

/** Undefined where there is nothing to hold, or too much for a segment. */
function segment(code: number, name: string, content: Uint8Array | undefined): Uint8Array | undefined {
  return content && namedSegment(code, name, content);
}

export const metadata = { read, write } satisfies MetadataCarrier;
