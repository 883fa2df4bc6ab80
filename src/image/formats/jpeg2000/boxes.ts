/** The boxes of a JP2 file (ITU-T T.800, annex I) around its codestream. */
import { MAX_PALETTE } from "../../../../wasm/jpeg2000/decoder.ts";
import { ApiError } from "../../../errors.ts";
import { PARTS } from "../../../limits/parts.ts";
import { BoxWalk } from "../../containers/box-walk.ts";
import { asItIs, ofPieces, type Stripped } from "../../containers/stripped.ts";
import { tooManyParts } from "../../containers/walk.ts";
import { isCodestream } from "./signature.ts";

/** Enumerated color spaces (table I.10, and those of ITU-T T.801 that are in use). */
export const ENUMERATED = { cmyk: 12, srgb: 16, gray: 17, sycc: 18 } as const;

interface ColorSpecification {
  readonly enumerated?: number;
  readonly profile?: Uint8Array;
}

/** A channel of the picture: a component, or what a column of the palette makes of it. */
export interface ChannelSource {
  readonly component: number;
  readonly column: number | undefined;
}

/** What a channel is for: kind 0 is color, 1 opacity, 2 opacity that colors are multiplied with; 0 is all of them. */
interface ChannelDefinition {
  readonly channel: number;
  readonly kind: number;
  readonly association: number;
}

export interface Jp2File {
  readonly codestream: Uint8Array;
  readonly color?: ColorSpecification;
  /** Columns of the palette, one byte an entry. */
  readonly palette?: readonly Uint8Array[];
  readonly mapping?: readonly ChannelSource[];
  readonly definitions?: readonly ChannelDefinition[];
  readonly exif?: Uint8Array;
}

/** `JpgTiffExif->JP2`: what ExifTool and Exiv2 write EXIF data under. */
const EXIF_UUID = "JpgTiffExif->JP2";
const NEEDED = new Set(["jP  ", "ftyp", "rreq", "jp2h", "jp2c"]);

/** @throws ApiError 422 when boxes reach beyond what they are in, or one that is needed is not there */
export function readBoxes(bytes: Uint8Array): Jp2File {
  if (isCodestream(bytes)) return { codestream: bytes };
  let header: Omit<Jp2File, "codestream"> | undefined;
  let codestream: Uint8Array | undefined;
  let exif: Uint8Array | undefined;
  const boxes = new Boxes(bytes, "file");
  while (boxes.next()) {
    if (boxes.is("jp2h")) header ??= readHeader(boxes.content);
    else if (boxes.is("jp2c")) codestream ??= boxes.content;
    else if (boxes.is("uuid") && latin(boxes.content, 0, 16) === EXIF_UUID) exif ??= boxes.content.subarray(16);
  }
  if (!header || !codestream) throw unusable("has no picture");
  return { ...header, codestream, ...(exif && { exif }) };
}

/** The boxes that the picture needs: not EXIF, XMP, and what anybody else put there. */
export function strip(bytes: Uint8Array): Stripped | null {
  if (isCodestream(bytes)) return asItIs(bytes);
  return ofPieces(bytes, (keep) => {
    const boxes = new Boxes(bytes, "file");
    while (boxes.next()) if (NEEDED.has(boxes.type)) keep(boxes.whole);
    return true;
  });
}

/**
 * The boxes of a file, or of its header. A codestream that ends early is judged by its own markers, and what follows it is
 * nobody's concern.
 */
class Boxes extends BoxWalk {
  private readonly of: "file" | "header";
  private isComplete = false;

  constructor(bytes: Uint8Array, of: "file" | "header") {
    super(bytes, PARTS.jp2Boxes);
    this.of = of;
  }

  protected read(at: number): boolean {
    const fit = this.readHeader(at);
    if (fit === "none") return false;
    const isCodestream = this.of === "file" && this.is("jp2c");
    if (fit !== "whole" && this.isComplete) return false;
    if (fit === "broken" || (fit === "cut" && !isCodestream)) throw unusable("has boxes that escape");
    this.isComplete ||= isCodestream;
    return true;
  }
}

function readHeader(content: Uint8Array): Omit<Jp2File, "codestream"> {
  const found: { -readonly [Key in keyof Jp2File]?: Jp2File[Key] | undefined } = {};
  const boxes = new Boxes(content, "header");
  while (boxes.next()) {
    const own = boxes.content;
    const view = new DataView(own.buffer, own.byteOffset, own.length);
    // The first color specification that can be used counts (I.5.3.3).
    if (boxes.is("colr")) found.color ??= readColor(own, view);
    if (boxes.is("pclr")) found.palette ??= readPalette(own, view);
    if (boxes.is("cmap")) found.mapping ??= readMapping(view);
    if (boxes.is("cdef")) found.definitions ??= readDefinitions(view);
  }
  return found as Omit<Jp2File, "codestream">;
}

function readColor(content: Uint8Array, view: DataView): ColorSpecification | undefined {
  const method = content[0];
  if (method === 1 && content.length >= 7) return { enumerated: view.getUint32(3) };
  // 2 is a restricted profile; 3, of ITU-T T.801, any.
  if ((method === 2 || method === 3) && content.length > 3 + 128) return { profile: content.subarray(3) };
  return undefined;
}

/** Columns of at most 16 bits, as 8. */
function readPalette(content: Uint8Array, view: DataView): Uint8Array[] {
  if (content.length < 3) throw unusable("has a damaged palette");
  const entries = view.getUint16(0);
  const depths = [...content.subarray(3, 3 + view.getUint8(2))].map((depth) => (depth & 0x7f) + 1);
  const bytes = depths.map((depth) => Math.ceil(depth / 8));
  const stride = bytes.reduce((sum, count) => sum + count, 0);
  const start = 3 + depths.length;
  if (entries < 1 || entries > MAX_PALETTE || depths.length !== content[2] || depths.length < 1)
    throw unusable("has a damaged palette");
  if (depths.some((depth) => depth > 16) || content.length < start + entries * stride)
    throw unusable("has a damaged palette");
  return depths.map((depth, column) => {
    const offset = start + bytes.slice(0, column).reduce((sum, count) => sum + count, 0);
    return Uint8Array.from({ length: entries }, (_, entry) => {
      const at = offset + entry * stride;
      const value = bytes[column] === 2 ? view.getUint16(at) : view.getUint8(at);
      return Math.min(255, Math.round((value * 255) / (2 ** depth - 1)));
    });
  });
}

function readMapping(view: DataView): ChannelSource[] {
  const count = Math.floor(view.byteLength / 4);
  if (count > PARTS.channels.most) throw tooManyParts(PARTS.channels);
  return Array.from({ length: count }, (_, index) => ({
    component: view.getUint16(index * 4),
    column: view.getUint8(index * 4 + 2) === 1 ? view.getUint8(index * 4 + 3) : undefined,
  }));
}

function readDefinitions(view: DataView): ChannelDefinition[] {
  const count = view.byteLength >= 2 ? view.getUint16(0) : 0;
  if (view.byteLength < 2 + count * 6) throw unusable("has damaged channel definitions");
  if (count > PARTS.channels.most) throw tooManyParts(PARTS.channels);
  return Array.from({ length: count }, (_, index) => ({
    channel: view.getUint16(2 + index * 6),
    kind: view.getUint16(4 + index * 6),
    association: view.getUint16(6 + index * 6),
  }));
}

function latin(bytes: Uint8Array, at: number, length: number): string {
  return String.fromCharCode(...bytes.subarray(at, at + length));
}

/** @param how what is wrong with the file, after "The JPEG 2000 file" */
export function unusable(how: string, cause?: unknown): ApiError {
  return new ApiError(422, `The JPEG 2000 file ${how}`, { cause });
}
