/** A JPEG file without what its picture does not need, everything else byte for byte (ITU-T T.81, annex B). */
import { PARTS } from "../../../limits/parts.ts";
import { ofPieces, type Stripped } from "../../containers/stripped.ts";
import { tooManyParts } from "../../containers/walk.ts";
import type { Orientation } from "../../pixels/geometry.ts";
import { headerOf } from "./facts.ts";
import { isMark, looksLikeMark } from "./mark.ts";
import { firstPicture } from "./multi-picture.ts";
import { neededProfile } from "./profile.ts";
import { PROFILE_NAME } from "./segments.ts";
import { tagSegment } from "./tag.ts";

const MARKER = {
  firstFrame: 0xc0,
  reserved: 0xc8,
  lastFrame: 0xcf,
  eoi: 0xd9,
  sos: 0xda,
  lines: 0xdc,
  restarts: 0xdd,
  app0: 0xe0,
  icc: 0xe2,
  adobe: 0xee,
  app15: 0xef,
  comment: 0xfe,
};
const END = Uint8Array.of(0xff, MARKER.eoi);

/** What the header says of a file, as far as its segments are concerned. */
interface Kind {
  /** The samples mean nothing without the profile. */
  readonly keepsProfile: boolean;
  /** The picture ends with the first scan. */
  readonly isOneScan: boolean;
}

/**
 * Leaves out comments other than our mark, application segments other than those that say what the samples mean, and
 * what follows the picture; `tag` is all that is said of how it lies. Null for a file whose segments cannot be told
 * apart, unless the picture has ended before them: then the file ends there.
 */
export function strip(bytes: Uint8Array, tag: Orientation = 1): Stripped | null {
  const header = headerOf(bytes);
  const kind = { keepsProfile: neededProfile(header) !== undefined, isOneScan: !header.multipleScans };
  return ofPieces(bytes, (keep) => {
    keep(bytes.subarray(0, 2));
    return walkSegments(bytes, kind, tag === 1 ? keep : tagging(tag, keep));
  });
}

const BARE: Kind = { keepsProfile: false, isOneScan: false };

/** A file of nothing but its picture, in memory of its own; undefined where its segments cannot be told apart. */
export function pictureOnly(bytes: Uint8Array): Uint8Array | undefined {
  let length = 2;
  const isKnown = walkSegments(bytes, BARE, (segment) => {
    length += segment.length;
  });
  if (!isKnown) return undefined;
  const file = new Uint8Array(length);
  file.set(bytes.subarray(0, 2));
  let at = 2;
  walkSegments(bytes, BARE, (segment) => {
    file.set(segment, at);
    at += segment.length;
  });
  return file;
}

/** The segments behind the beginning that are needed. Returns false when they cannot be told apart. */
function walkSegments(bytes: Uint8Array, kind: Kind, keep: (segment: Uint8Array) => void): boolean {
  const picture = firstPicture(bytes);
  let seenMark = false;
  let isWhole = false;
  let count = 0;
  for (let at = 2; ;) {
    if (++count > PARTS.scanSegments.most) throw tooManyParts(PARTS.scanSegments);
    // Any number of fill bytes may stand before a marker.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at++;
    const code = bytes[at + 1];
    if (bytes[at] !== 0xff || code === undefined) return false;
    if (code === MARKER.eoi) {
      keep(bytes.subarray(at, at + 2));
      return true;
    }
    const length = (bytes[at + 2]! << 8) | bytes[at + 3]!;
    const payload = bytes.subarray(at + 4, at + 2 + length);
    if (length < 2 || payload.length < length - 2 || !isKnown(code, payload)) {
      if (isWhole) keep(END);
      return isWhole;
    }
    const end = code === MARKER.sos ? entropyEnd(bytes, at + 2 + length) : at + 2 + length;
    const mayMark: boolean = code === MARKER.comment && !seenMark && looksLikeMark(payload);
    seenMark ||= mayMark;
    const marks = mayMark && isMark(payload, picture.subarray(end));
    if (marks || isNeeded(code, payload, kind.keepsProfile)) keep(bytes.subarray(at, end));
    // Readers of one scan stop at the marker behind it, whatever that is.
    isWhole ||= kind.isOneScan && code === MARKER.sos;
    at = end;
  }
}

/** Puts a segment that says how the picture is to be turned behind the JFIF segment, or first where there is none. */
function tagging(tag: Orientation, keep: (segment: Uint8Array) => void): (segment: Uint8Array) => void {
  let isTagged = false;
  return (segment) => {
    const isJfif = segment[1] === MARKER.app0;
    if (!isTagged && !isJfif) keep(tagSegment(tag));
    keep(segment);
    if (!isTagged && isJfif) keep(tagSegment(tag));
    isTagged = true;
  };
}

/**
 * Whether all readers take a segment for the same: not markers that stand alone, are kept for later or belong to kinds of JPEG
 * that nobody has, nor a number of lines with something behind it, which some pass over and others read.
 */
function isKnown(code: number, payload: Uint8Array): boolean {
  if (code === MARKER.lines) return payload.length === 2;
  if (code === MARKER.comment || (code >= MARKER.app0 && code <= MARKER.app15)) return true;
  const isFrame = code >= MARKER.firstFrame && code <= MARKER.lastFrame && code !== MARKER.reserved;
  return isFrame || (code >= MARKER.sos && code <= MARKER.restarts);
}

/** Where the next marker begins that does not belong to a scan; fill bytes before it belong to the scan. */
function entropyEnd(bytes: Uint8Array, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes[at + 1] ?? 0;
    if (code >= 0xc0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at;
  }
  return bytes.length;
}

function isNeeded(code: number, payload: Uint8Array, keepsProfile: boolean): boolean {
  if (code === MARKER.comment) return false;
  if (code < MARKER.app0 || code > MARKER.app15) return true;
  const name = String.fromCharCode(...payload.subarray(0, 12));
  if (code === MARKER.app0) return name.startsWith("JFIF\0");
  if (code === MARKER.adobe) return name.startsWith("Adobe");
  return code === MARKER.icc && keepsProfile && name.startsWith(PROFILE_NAME);
}
