/** Whether the files of pictures within drawings are whole: the renderer draws nothing of one that is not. */
import { parseGif, skipSubBlocks } from "../gif/container.ts";
import { SCAN, Segments } from "../jpeg/segments.ts";
import { Chunks, TYPE } from "../png/chunks.ts";

/** Of each kind, by the letters of its media type. */
const IS_WHOLE: Readonly<Record<string, (bytes: Uint8Array) => boolean>> = {
  "image/png": isWholePng,
  "image/jpeg": isWholeJpeg,
  "image/gif": isWholeGif,
  "image/webp": isWholeWebp,
};

/** Whether a file of a kind has its end, and in a PNG every chunk is as its checksum says. */
export function isWhole(mime: string, bytes: Uint8Array): boolean {
  try {
    return IS_WHOLE[mime]?.(bytes) ?? true;
  } catch {
    return false;
  }
}

function isWholePng(bytes: Uint8Array): boolean {
  let hasPixels = false;
  for (const chunks = new Chunks(bytes); chunks.next();) {
    if (!chunks.isIntact) return false;
    if (chunks.type === TYPE.IEND) return hasPixels;
    hasPixels ||= chunks.type === TYPE.IDAT;
  }
  return false;
}

const END_OF_IMAGE = 0xd9;

function isWholeJpeg(bytes: Uint8Array): boolean {
  const segments = new Segments(bytes);
  while (segments.next());
  if (bytes[segments.end + 1] !== SCAN) return false;
  // Within coded samples 0xff is followed by zero, or begins a marker.
  for (let at = segments.end; at >= 0; at = bytes.indexOf(0xff, at + 1)) {
    if (bytes[at + 1] === END_OF_IMAGE) return true;
  }
  return false;
}

function isWholeGif(bytes: Uint8Array): boolean {
  return parseGif(bytes).frames.every(({ dataOffset }) => skipSubBlocks(bytes, dataOffset) <= bytes.length);
}

/** Bytes before those that the size of a file counts. */
const UNCOUNTED = 8;

function isWholeWebp(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return view.getUint32(4, true) + UNCOUNTED <= bytes.length;
}
