/**
 * Gain maps in JPEG files: a file of its own behind the picture, with what its values mean, found by the index of the pictures
 * or by the directory in XMP (ISO 21496-1, annex C; CIPA DC-007; Ultra HDR 1.1).
 */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { isOfAppleMap, readApple } from "../../gain-map/apple.ts";
import { type GainMap, type GainMapCarrier, MAX_GAIN_MAP_BYTES } from "../../gain-map/gain-map.ts";
import { ISO_VERSIONS, readIso, writeIso } from "../../gain-map/iso.ts";
import { directoryEntry, readTerms, withDirectory, writeTerms } from "../../gain-map/xmp.ts";
import { profileSegments } from "./embed.ts";
import { headerOf } from "./facts.ts";
import { firstPicture, INDEX_SEGMENT_BYTES, indexSegment, isPicture, otherPictures } from "./multi-picture.ts";
import { behindJfif, namedSegment, segmentNamed, Segments, XMP_NAME } from "./segments.ts";
import { pictureOnly } from "./strip.ts";

const APP1 = 0xe1;
const APP2 = 0xe2;
const APP15 = 0xef;
const EXIF = "Exif\0\0";
const ISO = "urn:iso:std:iso:ts:21496:-1\0";

function read(bytes: Uint8Array): GainMap | undefined {
  for (const file of filesBehind(bytes)) {
    const found = file.length <= MAX_GAIN_MAP_BYTES ? termsOf(file, bytes) : undefined;
    if (!found) continue;
    // One file at most is read to its end: an index may name the same one many times.
    const values = pictureOnly(file);
    if (!values) return undefined;
    const profile = found.terms.inBaseColors ? undefined : profileIn(file);
    // What is to be applied in colors that nobody knows would be applied in others.
    return found.terms.inBaseColors || profile ? { ...found, file: values, profile } : undefined;
  }
  return undefined;
}

/** Files behind the picture, by the index, and by the directory where it names another place. */
function filesBehind(bytes: Uint8Array): readonly Uint8Array[] {
  const xmp = contentOf(bytes, APP1, XMP_NAME);
  const entry = xmp && directoryEntry(xmp);
  if (!entry || entry.fromEnd >= bytes.length) return otherPictures(bytes);
  const start = bytes.length - entry.fromEnd;
  const file = bytes.subarray(start, start + entry.length);
  return isPicture(file) ? [...otherPictures(bytes), file] : otherPictures(bytes);
}

/** @param picture the file that the one of the map is in */
function termsOf(file: Uint8Array, picture: Uint8Array): Pick<GainMap, "terms" | "levels"> | undefined {
  const iso = contentOf(file, APP2, ISO);
  const own = iso && readIso(iso);
  if (own) return { terms: own };
  const xmp = contentOf(file, APP1, XMP_NAME);
  const terms = xmp && readTerms(xmp);
  if (terms) return { terms };
  return xmp && isOfAppleMap(xmp) ? readApple(xmp, () => contentOf(picture, APP1, EXIF)) : undefined;
}

/** The content of the first segment with a name. */
function contentOf(bytes: Uint8Array, code: number, name: string): Uint8Array | undefined {
  return segmentNamed(bytes, code, name)?.contentBehind(name);
}

function profileIn(file: Uint8Array): Uint8Array | undefined {
  try {
    return headerOf(file).profile;
  } catch (error) {
    if (error instanceof ApiError) return undefined;
    throw error;
  }
}

function write(bytes: Uint8Array, map: GainMap, mostBytes = Infinity): Uint8Array {
  const file = writeWith(bytes, map, { inXmp: true });
  // The standard's form is all that a reader of the standard needs.
  return file.length <= mostBytes ? file : writeWith(bytes, map, { inXmp: false });
}

/** Behind the application segments stands the mark of the file, which is about the picture. */
function writeWith(bytes: Uint8Array, map: GainMap, { inXmp }: { readonly inXmp: boolean }): Uint8Array {
  const file = mapFile(map, inXmp);
  const kept = segmentNamed(bytes, APP1, XMP_NAME);
  const said = kept?.contentBehind(XMP_NAME);
  const packet = inXmp ? withDirectory(said && decoded(said), file.length) : undefined;
  const directory = packet === undefined ? undefined : namedSegment(APP1, XMP_NAME, encoded(packet));
  const at = kept?.at ?? endOfMetadata(bytes);
  const end = Math.max(kept?.end ?? at, endOfApplications(bytes));
  const head = [
    bytes.subarray(0, at),
    // What is kept of the original comes first; the index and the versions say all that the directory does.
    directory ?? bytes.subarray(at, kept?.end ?? at),
    bytes.subarray(kept?.end ?? at, end),
    namedSegment(APP2, ISO, ISO_VERSIONS) ?? new Uint8Array(0),
  ];
  const indexAt = head.reduce((sum, { length }) => sum + length, 0);
  const picture = firstPicture(bytes).subarray(end);
  const index = indexSegment(indexAt, indexAt + INDEX_SEGMENT_BYTES + picture.length, file.length);
  return joined([...head, index, picture, file]);
}

/** The file of a map with what its values mean. */
function mapFile({ file, terms, profile }: GainMap, inXmp: boolean): Uint8Array {
  const at = behindJfif(file);
  const segments = [
    inXmp ? namedSegment(APP1, XMP_NAME, encoded(writeTerms(terms))) : undefined,
    namedSegment(APP2, ISO, writeIso(terms)),
  ];
  return joined([
    file.subarray(0, at),
    ...segments.filter((one) => one !== undefined),
    ...(profile ? profileSegments(profile) : []),
    file.subarray(at),
  ]);
}

/** Where the segments of JFIF and EXIF end. */
function endOfMetadata(bytes: Uint8Array): number {
  let at = behindJfif(bytes);
  const segments = new Segments(bytes);
  while (segments.next()) if (segments.code === APP1 && segments.at === at) at = segments.end;
  return at;
}

function endOfApplications(bytes: Uint8Array): number {
  let at = behindJfif(bytes);
  const segments = new Segments(bytes);
  while (segments.next()) {
    const isApplication = segments.code > APP1 && segments.code <= APP15;
    if (isApplication && segments.at >= at) at = segments.end;
  }
  return at;
}

function encoded(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

function decoded(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

/** A file without anything in it, to see what a map takes beside a picture. */
const EMPTY_FILE = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);

export const gainMap = {
  read,
  write,
  addedBytes: (map) => write(EMPTY_FILE, map).length,
  web: true,
} satisfies GainMapCarrier;
