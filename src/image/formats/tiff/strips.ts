/** TIFF files with several strips whose RowsPerStrip says that one is enough: libtiff fails, for the first is too short. */

/** What is read of a directory. */
interface Fields {
  readonly number: (tag: number) => number | undefined;
  readonly count: (tag: number) => number;
  /** Where a value lies in the file, and how many bytes it has. */
  readonly value: (tag: number) => { readonly at: number; readonly bytes: number } | undefined;
}

/** Bytes of a file that are read as others. */
export interface Overlay {
  readonly at: number;
  readonly bytes: Uint8Array;
}

/** TIFF 6.0, sections 3 to 8. */
const TAG = {
  width: 256,
  height: 257,
  bits: 258,
  compression: 259,
  stripOffsets: 273,
  samples: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  planar: 284,
} as const;
const UNCOMPRESSED = 1;
const SEPARATE = 2;
const SHORT_BYTES = 2;

/** The number of rows that the strips of a picture have, in place of one that cannot be; undefined where that can. */
export function mendedRows(directory: Fields, little: boolean): Overlay | undefined {
  const number = (tag: number, otherwise: number) => directory.number(tag) ?? otherwise;
  const height = number(TAG.height, 0);
  const said = directory.number(TAG.rowsPerStrip);
  const value = directory.value(TAG.rowsPerStrip);
  if (said === undefined || !value || said < height) return undefined;
  const samples = number(TAG.samples, 1);
  const isSeparate = number(TAG.planar, 1) === SEPARATE;
  const strips = directory.count(TAG.stripOffsets) / (isSeparate ? samples : 1);
  if (!Number.isInteger(strips) || strips < 2 || strips > height) return undefined;
  const bits = number(TAG.width, 0) * number(TAG.bits, 1) * (isSeparate ? 1 : samples);
  const plainRows = number(TAG.stripByteCounts, 0) / Math.ceil(bits / 8);
  const isPlain = number(TAG.compression, UNCOMPRESSED) === UNCOMPRESSED && Number.isInteger(plainRows);
  const rows = isPlain ? plainRows : Math.ceil(height / strips);
  if (rows < 1 || Math.ceil(height / rows) !== strips) return undefined;
  const bytes = new Uint8Array(value.bytes);
  const view = new DataView(bytes.buffer);
  if (value.bytes === SHORT_BYTES) view.setUint16(0, rows, little);
  else view.setUint32(0, rows, little);
  return { at: value.at, bytes };
}
