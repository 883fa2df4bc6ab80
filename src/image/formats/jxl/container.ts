/** The boxes of a JPEG XL file (ISO/IEC 18181-2) around its codestream. */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { asItIs, ofPieces, type Stripped } from "../../stripped.ts";
import { box } from "../heif/boxes.ts";
import { isCodestream, isContainer } from "./signature.ts";

/** What a file of boxes begins with: a signature that transmission as text would damage, and the kind of the file. */
export const START = joined([
  box("JXL ", Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
  box("ftyp", new TextEncoder().encode("jxl \0\0\0\0jxl ")),
]);

export interface BoxPart {
  readonly type: string;
  readonly content: Uint8Array;
  /** Head and content. */
  readonly all: Uint8Array;
}

export interface JxlFile {
  /** The codestream, in the pieces that the file has it in. */
  readonly pieces: readonly Uint8Array[];
  /** The boxes of the file, as far as it is made of any. */
  readonly boxes: readonly BoxPart[];
  /** The file says how the JPEG file is made again that it was made of. */
  readonly hasOriginal: boolean;
}

/** Signature, kind, level and codestream. */
const NEEDED = new Set(["JXL ", "ftyp", "jxll", "jxlc", "jxlp"]);
/** A file that comes in pieces has one for each of its frames at most, and some boxes of metadata. */
const MAX_BOXES = 4_096;
const HEAD_BYTES = 8;
/** Before each piece of a codestream stands its number. */
const NUMBER_BYTES = 4;

/** @throws ApiError 422 when boxes reach beyond what they are in, or there is no codestream */
export function readContainer(bytes: Uint8Array): JxlFile {
  if (isCodestream(bytes)) return { pieces: [bytes], boxes: [], hasOriginal: false };
  if (!isContainer(bytes)) throw damaged();
  const boxes = [...boxesOf(bytes)];
  const whole = boxes.find(({ type }) => type === "jxlc");
  const parts = boxes.filter(({ type, content }) => type === "jxlp" && content.length > NUMBER_BYTES);
  const pieces = whole ? [whole.content] : parts.map(({ content }) => content.subarray(NUMBER_BYTES));
  if (pieces.length === 0) throw damaged();
  return { pieces, boxes, hasOriginal: boxes.some(({ type }) => type === "jbrd") };
}

/** A codestream that is cut short is judged by its own headers. */
function* boxesOf(bytes: Uint8Array): Generator<BoxPart> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  let seen = 0;
  for (let at = 0; at + HEAD_BYTES <= bytes.length; seen++) {
    if (seen === MAX_BOXES) throw damaged();
    let length = view.getUint32(at);
    let head = HEAD_BYTES;
    if (length === 1 && at + 16 <= bytes.length) {
      length = view.getUint32(at + 8) * 2 ** 32 + view.getUint32(at + 12);
      head = 16;
    } else if (length === 0) {
      length = bytes.length - at;
    }
    const type = String.fromCharCode(...bytes.subarray(at + 4, at + 8));
    const end = at + length;
    if (length < head || (end > bytes.length && !type.startsWith("jxl"))) throw damaged();
    yield { type, content: bytes.subarray(at + head, end), all: bytes.subarray(at, end) };
    at = end;
  }
}

/** The boxes that the picture needs: not EXIF, XMP, nor how to make a JPEG file again of it. */
export function strip(bytes: Uint8Array): Stripped {
  if (isCodestream(bytes)) return asItIs(bytes);
  const { boxes } = readContainer(bytes);
  return ofPieces(bytes, (keep) => {
    for (const { type, all } of boxes) if (NEEDED.has(type)) keep(all);
    return true;
  });
}

export function damaged(cause?: unknown): ApiError {
  return new ApiError(422, "The JPEG XL file is damaged or cut short", { cause });
}
