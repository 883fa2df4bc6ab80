/** Metadata in TIFF files: the first directory says what EXIF does, and has tags for XMP, IPTC and Photoshop. */
import type { Metadata, MetadataCarrier } from "../../metadata/blocks.ts";
import { Tiff } from "../../metadata/directories.ts";
import { exifForFile } from "../../metadata/exif.ts";
import { iptcIn } from "../../metadata/iptc.ts";
import { metadata as ofJpeg } from "../jpeg/metadata.ts";
import { placeOf } from "./directories.ts";
import { withFields } from "./fields.ts";
import { isForeignRaw, tiffIn } from "./raw.ts";

const XMP = 0x02bc;
const IPTC = 0x83bb;
const PHOTOSHOP = 0x8649;

function read(bytes: Uint8Array): Metadata {
  if (isForeignRaw(bytes)) return readForeign(bytes);
  const tiff = Tiff.of(bytes);
  if (!tiff) return {};
  const entries = tiff.entries(tiff.first);
  const value = (tag: number) => entries.find((entry) => entry.tag === tag)?.value;
  const resources = value(PHOTOSHOP);
  return { tiff: bytes, xmp: value(XMP), iptc: value(IPTC) ?? (resources && iptcIn(resources)) };
}

/** Of a camera's file that is not TIFF: what its preview has, or else its own directories. */
function readForeign(bytes: Uint8Array): Metadata {
  const place = placeOf(bytes);
  const own = place.kind === "preview" ? ofJpeg.read(place.file) : {};
  return own.exif ? own : { ...own, tiff: tiffIn(bytes)?.bytes };
}

/** Numbers of types: bytes, and bytes of unknown meaning. */
const BYTE = 1;
const UNDEFINED = 7;

function write(bytes: Uint8Array, { exif, xmp, iptc }: Metadata): Uint8Array {
  const little = Tiff.of(bytes)?.little ?? true;
  const kept = exif ? exifForFile(exif, little) : { fields: [], below: new Map() };
  const field = (tag: number, type: number, value: Uint8Array) => ({ tag, type, count: value.length, value });
  const fields = [
    ...kept.fields,
    ...(xmp ? [field(XMP, BYTE, xmp)] : []),
    ...(iptc ? [field(IPTC, UNDEFINED, iptc)] : []),
  ];
  return withFields(bytes, { fields, below: kept.below });
}

export const metadata = { read, write } satisfies MetadataCarrier;
