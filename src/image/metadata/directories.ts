/** Directories of TIFF as EXIF has them (TIFF 6.0, section 2): read without trust, and written anew. */

/** Entries that are read of one directory; cameras write about 60. */
const MAX_ENTRIES = 500;
/** Bytes of one value that is kept; texts have some hundred. */
const MAX_VALUE_BYTES = 16 << 10;
const HEADER_BYTES = 8;
export const ENTRY_BYTES = 12;
const TIFF_VERSION = 42;
/** Numbers in the place of the version: of TIFF, two of Olympus and one of Panasonic. */
const VERSIONS: ReadonlySet<number> = new Set([TIFF_VERSION, 0x4f52, 0x5352, 0x55]);
/** Values of so many bytes lie in the entry itself. */
const INLINE_BYTES = 4;

/** Bytes of a value of each type; 129 is the UTF-8 of EXIF 3.0. */
const TYPE_BYTES: Readonly<Record<number, number>> = {
  1: 1,
  2: 1,
  3: 2,
  4: 4,
  5: 8,
  6: 1,
  7: 1,
  8: 2,
  9: 4,
  10: 8,
  11: 4,
  12: 8,
  13: 4,
  129: 1,
};
const LONG = 4;

export interface Entry {
  readonly tag: number;
  readonly type: number;
  readonly count: number;
  /** In the byte order of the file; a view of it. */
  readonly value: Uint8Array;
  /** Where the entry begins, and where its value does. */
  readonly at: number;
  readonly valueAt: number;
}

/** TIFF data, read field by field. */
export class Tiff {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly little: boolean;

  private constructor(bytes: Uint8Array, little: boolean) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.little = little;
  }

  /** Null for what is no TIFF data; BigTIFF is none. */
  static of(bytes: Uint8Array): Tiff | null {
    const tiff = Tiff.like(bytes);
    return tiff?.version === TIFF_VERSION ? tiff : null;
  }

  /** Also of files that cameras write in the same structure under another number; null for everything else. */
  static like(bytes: Uint8Array): Tiff | null {
    if (bytes.length < HEADER_BYTES) return null;
    const [first, second] = bytes;
    if (first !== second || (first !== 0x49 && first !== 0x4d)) return null;
    const tiff = new Tiff(bytes, first === 0x49);
    return VERSIONS.has(tiff.version) ? tiff : null;
  }

  private get version(): number {
    return this.view.getUint16(2, this.little);
  }

  /** Where the first directory lies. */
  get first(): number {
    return this.view.getUint32(4, this.little);
  }

  /** The entries of a directory that are whole, up to the first that cannot be one; none where there is no directory. */
  entries(at: number): Entry[] {
    const { view, little, bytes } = this;
    if (at < HEADER_BYTES || at + 2 > bytes.length) return [];
    const count = view.getUint16(at, little);
    const found: Entry[] = [];
    for (let index = 0; index < Math.min(count, MAX_ENTRIES); index++) {
      const start = at + 2 + index * ENTRY_BYTES;
      if (start + ENTRY_BYTES > bytes.length) break;
      const entry = this.entry(start);
      if (entry) found.push(entry);
    }
    return found;
  }

  /** The number that an entry refers to another directory by. */
  pointer({ type, count, value }: Entry): number {
    if ((type !== LONG && type !== 13) || count !== 1) return 0;
    return new DataView(value.buffer, value.byteOffset).getUint32(0, this.little);
  }

  private entry(at: number): Entry | null {
    const { view, little, bytes } = this;
    const type = view.getUint16(at + 2, little);
    const count = view.getUint32(at + 4, little);
    const length = count * (TYPE_BYTES[type] ?? 0);
    if (length === 0) return null;
    const valueAt = length <= INLINE_BYTES ? at + 8 : view.getUint32(at + 8, little);
    if (valueAt + length > bytes.length) return null;
    return {
      tag: view.getUint16(at, little),
      type,
      count,
      value: bytes.subarray(valueAt, valueAt + length),
      at,
      valueAt,
    };
  }
}

/** What is written of an entry. */
export interface Field extends Pick<Entry, "tag" | "type" | "count" | "value"> {
  /** Where its value lies already, from which it is not moved; absent: it is written behind the directory. */
  readonly placedAt?: number | undefined;
}

/** Bytes of the numbers of each type that have more than one; fractions are two. */
const NUMBER_BYTES: Readonly<Record<number, number>> = { 3: 2, 4: 4, 5: 4, 8: 2, 9: 4, 10: 4, 11: 4, 12: 8, 13: 4 };

/** A field in the other order of bytes. */
export function swapped({ tag, type, count, value }: Field): Field {
  const size = NUMBER_BYTES[type] ?? 1;
  const bytes = value.slice();
  for (let at = 0; at + size <= bytes.length; at += size) bytes.subarray(at, at + size).reverse();
  return { tag, type, count, value: bytes };
}

/** A directory to be written, and those that it refers to by tags. */
export interface Directory {
  readonly fields: readonly Field[];
  readonly below: ReadonlyMap<number, Directory>;
}

/**
 * TIFF data of one directory and those below it, values left out that are larger than any in use; null when there is
 * nothing in it, or it would be larger than `most`.
 */
export function writeDirectories(directory: Directory, little: boolean, most: number): Uint8Array | null {
  const kept = withUsualValues(directory);
  const size = HEADER_BYTES + directoryBytes(kept);
  if (size > most || isEmpty(kept)) return null;
  const bytes = new Uint8Array(size);
  writeHeader(bytes, HEADER_BYTES, little);
  writeDirectory(kept, HEADER_BYTES, bytes, little);
  return bytes;
}

/** Writes the header of TIFF data whose first directory lies at `first`. */
export function writeHeader(bytes: Uint8Array, first: number, little: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  bytes.fill(little ? 0x49 : 0x4d, 0, 2);
  view.setUint16(2, TIFF_VERSION, little);
  view.setUint32(4, first, little);
}

/** Bytes of a header of TIFF data. */
export const TIFF_HEADER_BYTES = HEADER_BYTES;

/**
 * Writes a directory, the values that have no place yet, and the directories below it to `at`, which is even; it is the
 * last one. @returns where what follows begins
 */
export function writeDirectory(directory: Directory, at: number, bytes: Uint8Array, little: boolean): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  return writeAt(directory, at, { bytes, view, little });
}

function withUsualValues({ fields, below }: Directory): Directory {
  return {
    fields: fields.filter(({ value }) => value.length <= MAX_VALUE_BYTES),
    below: new Map([...below].map(([tag, directory]) => [tag, withUsualValues(directory)])),
  };
}

function isEmpty({ fields, below }: Directory): boolean {
  return fields.length === 0 && [...below.values()].every(isEmpty);
}

function keptOf({ fields, below }: Directory) {
  const inner = [...below].filter(([, directory]) => !isEmpty(directory));
  return { fields, inner, tableBytes: 2 + (fields.length + inner.length) * ENTRY_BYTES + 4 };
}

/** Bytes that a directory takes with its values that have no place yet, and with those below it. */
export function directoryBytes(directory: Directory): number {
  const { fields, inner, tableBytes } = keptOf(directory);
  const values = fields.reduce((sum, field) => sum + outlyingBytes(field), 0);
  return tableBytes + values + inner.reduce((sum, [, below]) => sum + directoryBytes(below), 0);
}

/** Values begin at even places. */
function outlyingBytes({ value, placedAt }: Field): number {
  return value.length <= INLINE_BYTES || placedAt !== undefined ? 0 : value.length + (value.length & 1);
}

interface Target {
  readonly bytes: Uint8Array;
  readonly view: DataView;
  readonly little: boolean;
}

/** @returns where what follows begins */
function writeAt(directory: Directory, at: number, target: Target): number {
  const { bytes, view, little } = target;
  const { fields, inner, tableBytes } = keptOf(directory);
  let end = at + tableBytes;
  const rows = [
    ...fields.map((field) => ({ tag: field.tag, field, below: undefined })),
    ...inner.map(([tag, below]) => ({ tag, field: undefined, below })),
  ].toSorted((one, other) => one.tag - other.tag);
  view.setUint16(at, rows.length, little);
  for (const [index, { tag, field, below }] of rows.entries()) {
    const entry = at + 2 + index * ENTRY_BYTES;
    view.setUint16(entry, tag, little);
    view.setUint16(entry + 2, field?.type ?? LONG, little);
    view.setUint32(entry + 4, field?.count ?? 1, little);
    if (field && field.value.length <= INLINE_BYTES) bytes.set(field.value, entry + 8);
    else {
      view.setUint32(entry + 8, field?.placedAt ?? end, little);
      if (field && field.placedAt === undefined) bytes.set(field.value, end);
      end = field ? end + outlyingBytes(field) : writeAt(below, end, target);
    }
  }
  return end;
}
