/** Metadata in TIFF files: the first directory says what EXIF does, and has tags for XMP, IPTC and Photoshop. */
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { Tiff } from "../../metadata/directories.ts";
import { iptcIn } from "../../metadata/iptc.ts";

const XMP = 0x02bc;
const IPTC = 0x83bb;
const PHOTOSHOP = 0x8649;

function read(bytes: Uint8Array): Metadata {
  const tiff = Tiff.of(bytes);
  if (!tiff) return {};
  const entries = tiff.entries(tiff.first);
  const value = (tag: number) => entries.find((entry) => entry.tag === tag)?.value;
  const resources = value(PHOTOSHOP);
  return { tiff: bytes, xmp: value(XMP), iptc: value(IPTC) ?? (resources && iptcIn(resources)) };
}

export const metadata: MetadataCarrier = { read };
