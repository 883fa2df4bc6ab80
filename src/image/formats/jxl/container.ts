/** The boxes of a JPEG XL file (ISO/IEC 18181-2) around its codestream. */
import { ApiError } from "../../../errors.ts";
import { joined } from "../../../joined.ts";
import { PARTS } from "../../../limits/parts.ts";
import { BoxWalk } from "../../containers/box-walk.ts";
import { asItIs, ofPieces, type Stripped } from "../../containers/stripped.ts";
import { box } from "../heif/boxes.ts";
import { isCodestream, isContainer } from "./signature.ts";

/** What a file of boxes begins with: a signature that transmission as text would damage, and the kind of the file. */
export const START = joined([
  box("JXL ", Uint8Array.of(0x0d, 0x0a, 0x87, 0x0a)),
  box("ftyp", new TextEncoder().encode("jxl \0\0\0\0jxl ")),
]);

export interface JxlFile {
  /** The codestream, in the pieces that the file has it in. */
  readonly pieces: readonly Uint8Array[];
  /** The file says how the JPEG file is made again that it was made of. */
  readonly hasOriginal: boolean;
}

/** Signature, kind, level and codestream. */
const NEEDED = new Set(["JXL ", "ftyp", "jxll", "jxlc", "jxlp"]);
/** Before each piece of a codestream stands its number. */
const NUMBER_BYTES = 4;

/** @throws ApiError 422 when boxes reach beyond what they are in, or there is no codestream */
export function readContainer(bytes: Uint8Array): JxlFile {
  if (isCodestream(bytes)) return { pieces: [bytes], hasOriginal: false };
  if (!isContainer(bytes)) throw damaged();
  let whole: Uint8Array | undefined;
  let hasOriginal = false;
  const parts: Uint8Array[] = [];
  const boxes = new Boxes(bytes);
  while (boxes.next()) {
    if (boxes.is("jxlc")) whole ??= boxes.content;
    else if (boxes.is("jbrd")) hasOriginal = true;
    else if (boxes.is("jxlp") && boxes.content.length > NUMBER_BYTES) parts.push(boxes.content.subarray(NUMBER_BYTES));
  }
  const pieces = whole ? [whole] : parts;
  if (pieces.length === 0) throw damaged();
  return { pieces, hasOriginal };
}

/** The boxes of a file. A codestream that is cut short is judged by its own headers. */
export class Boxes extends BoxWalk {
  constructor(bytes: Uint8Array) {
    super(bytes, PARTS.jxlBoxes);
  }

  protected read(at: number): boolean {
    const fit = this.readHeader(at);
    if (fit === "broken" || (fit === "cut" && !this.type.startsWith("jxl"))) throw damaged();
    return fit !== "none";
  }
}

/** The boxes that the picture needs: not EXIF, XMP, nor how to make a JPEG file again of it. */
export function strip(bytes: Uint8Array): Stripped | null {
  if (isCodestream(bytes)) return asItIs(bytes);
  return ofPieces(bytes, (keep) => {
    const boxes = new Boxes(bytes);
    while (boxes.next()) if (NEEDED.has(boxes.type)) keep(boxes.whole);
    return true;
  });
}

export function damaged(cause?: unknown): ApiError {
  return new ApiError(422, "The JPEG XL file is damaged or cut short", { cause });
}
