/** The pixels of a PNG file, or of one frame of an animation, as rows. */
import { COLOR_TYPE, type PngHeader } from "../../../../wasm/pixels/png-header.ts";
import { openPngReader, type PngForm, type PngReader } from "../../../../wasm/pixels/png-reader.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { guardedAsync } from "../../codec/guard.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { Chunks, damaged, TYPE, viewOf } from "./chunks.ts";
import type { PngFile } from "./header.ts";

/** fdAT data begins with a sequence number. */
const SEQUENCE_BYTES = 4;
/** Files written for a display of gamma 2.2 say 0.45455; nearer than this makes no visible difference. */
const GAMMA_TOLERANCE = 0.05;
const DISPLAY_GAMMA = 2.2;

/** Whether some pixel may have an alpha below 255. */
export function hasAlpha({ type, transparency }: PngFile): boolean {
  return type === COLOR_TYPE.grayAlpha || type === COLOR_TYPE.rgba || transparency !== undefined;
}

/**
 * Decodes a picture, of which size and place are given and all else is as the file says. `read` throws ApiError 422
 * when the data is damaged.
 */
export function openRows(bytes: Uint8Array, part: Part, timeSlice: TimeSlice, sixteenBit?: true): Rows {
  const { width, height } = part.size;
  return {
    width,
    height,
    opaque: !hasAlpha(part.file),
    sixteenBit,
    ...openPng(bytes, part, timeSlice, sixteenBit && "sixteenBit"),
  };
}

/** A picture within a file. */
interface Part {
  readonly file: PngFile;
  /** Where the first of its chunks begins. */
  readonly dataOffset: number;
  readonly size: Size;
}

/** The whole file as a picture, which is the first frame of an animation at the most. */
export function wholeOf(file: PngFile): Part {
  return { file, dataOffset: file.dataOffset, size: file };
}

/** The reader under these rows. */
export function openPng(
  bytes: Uint8Array,
  { file, dataOffset, size }: Part,
  timeSlice: TimeSlice,
  form: PngForm = "rgba",
): PngReader {
  const levels = form === "sixteenBit" ? sixteenBitLevelsOf(file) : levelsOf(file);
  const table = levels instanceof Uint16Array ? undefined : tableOf(file, levels);
  const key = table ? undefined : keyOf(file);
  const reader = openPngReader(
    {
      ...(file satisfies PngHeader),
      width: size.width,
      height: size.height,
      ...(table ? { table } : levels && { levels }),
      ...(key && { key }),
      form,
      input: dataFrom(bytes, dataOffset),
    },
    timeSlice,
  );
  const refusal = (reason: Error) => damaged("its pixels cannot be read", reason);
  return { ...reader, read: (max) => guardedAsync(() => reader.read(max), refusal) };
}

/** The compressed data from `offset` on, piece by piece, over chunk after chunk of the same kind. */
function dataFrom(bytes: Uint8Array, offset: number): (max: number) => Uint8Array | null {
  const chunks = new Chunks(bytes, offset);
  let kind: number | undefined;
  let isOver = false;
  let rest = bytes.subarray(0, 0);
  return (max) => {
    while (rest.length === 0) {
      isOver ||= !chunks.next() || chunks.type !== (kind ??= chunks.type);
      if (isOver) return null;
      if (!chunks.isIntact) throw damaged("its pixel data is incomplete or has a wrong checksum");
      rest = kind === TYPE.fdAT ? chunks.data.subarray(SEQUENCE_BYTES) : chunks.data;
    }
    const piece = rest.subarray(0, max);
    rest = rest.subarray(piece.length);
    return piece;
  };
}

/** The RGBA of each palette index or gray level, for pictures of one sample of at most 8 bits. */
export function tableOf(file: PngFile, levels: Uint8Array | undefined): Uint8Array | undefined {
  const { type, depth, palette, transparency } = file;
  const table = new Uint8Array(4 << depth);
  if (type === COLOR_TYPE.gray && depth <= 8) {
    const most = (1 << depth) - 1;
    // Of a level that has more bits than a sample the lowest count (11.3.1.1).
    const transparent = transparency && viewOf(transparency).getUint16(0) & most;
    for (let value = 0; value <= most; value++) {
      const level = Math.round((value * 255) / most);
      table.fill(levels?.[level] ?? level, value * 4, value * 4 + 3);
      table[value * 4 + 3] = value === transparent ? 0 : 255;
    }
    return table;
  }
  if (type !== COLOR_TYPE.palette || !palette) return undefined;
  for (let index = 0; index < 1 << depth; index++) {
    for (let channel = 0; channel < 3; channel++) {
      const level = palette[index * 3 + channel] ?? 0;
      table[index * 4 + channel] = levels?.[level] ?? level;
    }
    table[index * 4 + 3] = transparency?.[index] ?? 255;
  }
  return table;
}

/** The stored color that tRNS makes transparent. */
function keyOf({ type, transparency }: PngFile): [number, number, number] | undefined {
  if (!transparency || (type !== COLOR_TYPE.gray && type !== COLOR_TYPE.rgb)) return undefined;
  const view = viewOf(transparency);
  return type === COLOR_TYPE.gray
    ? [view.getUint16(0), 0, 0]
    : [view.getUint16(0), view.getUint16(2), view.getUint16(4)];
}

/** The table that brings samples to a display gamma of 2.2, if the file says that they are not made for one. */
function levelsOf(file: PngFile): Uint8Array | undefined {
  const exponent = exponentOf(file);
  const most = file.depth === 16 ? 65_535 : 255;
  const level = (_: unknown, value: number) => Math.round(255 * (value / most) ** (exponent ?? 1));
  return exponent === undefined ? undefined : Uint8Array.from({ length: most + 1 }, level);
}

/** The same table for samples that stay ones of 16 bits. */
function sixteenBitLevelsOf(file: PngFile): Uint16Array | undefined {
  const exponent = exponentOf(file);
  const level = (_: unknown, value: number) => Math.round(65_535 * (value / 65_535) ** (exponent ?? 1));
  return exponent === undefined ? undefined : Uint16Array.from({ length: 65_536 }, level);
}

/** Whether samples get other levels as they are read. */
export function changesLevels(file: PngFile): boolean {
  return exponentOf(file) !== undefined;
}

function exponentOf({ gamma }: PngFile): number | undefined {
  if (!gamma || Math.abs(gamma * DISPLAY_GAMMA - 1) < GAMMA_TOLERANCE) return undefined;
  return 1 / (gamma * DISPLAY_GAMMA);
}
