/** TIFF files with fields that are added to their first directory. */
import {
  type Directory,
  directoryBytes,
  type Entry,
  ENTRY_BYTES,
  type Field,
  Tiff,
  writeDirectory,
  writeHeader,
} from "../../metadata/directories.ts";

/** Types of values (TIFF 6.0, section 2). */
export const TYPE = { short: 3, long: 4, rational: 5, undefined: 7 } as const;

/** A field of whole numbers of two bytes. */
export function shorts(tag: number, numbers: readonly number[], little: boolean): Field {
  const value = new Uint8Array(numbers.length * 2);
  const view = new DataView(value.buffer);
  for (const [index, number] of numbers.entries()) view.setUint16(index * 2, number, little);
  return { tag, type: TYPE.short, count: numbers.length, value };
}

/** A field of whole numbers of four bytes. */
export function longs(tag: number, numbers: readonly number[], little: boolean): Field {
  const value = new Uint8Array(numbers.length * 4);
  const view = new DataView(value.buffer);
  for (const [index, number] of numbers.entries()) view.setUint32(index * 4, number, little);
  return { tag, type: TYPE.long, count: numbers.length, value };
}

/** An entry of a file whose value stays where it is. */
function placed({ tag, type, count, value, valueAt }: Entry): Field {
  return { tag, type, count, value, placedAt: valueAt };
}

/**
 * A file whose first directory has fields besides, in the place of those with the same tags. It is written anew behind all
 * else, with the values of what is added; everything else stays where it is. What is no TIFF file stays as it is.
 * @param added in the order of bytes of the file
 */
export function withFields(file: Uint8Array, added: Directory): Uint8Array {
  const tiff = Tiff.of(file);
  if (!tiff) return file;
  const { first, little, view } = tiff;
  const tableEnd = first + 2 + view.getUint16(first, little) * ENTRY_BYTES;
  const isNew = ({ tag }: Entry) => added.fields.some((field) => field.tag === tag) || added.below.has(tag);
  const stays = tiff.entries(first).filter((entry) => !isNew(entry));
  const directory = { fields: [...stays.map(placed), ...added.fields], below: added.below };
  // A directory that nothing follows is replaced.
  const from = tableEnd + 4 === file.length ? first : file.length;
  const at = from + (from & 1);
  const bytes = new Uint8Array(at + directoryBytes(directory));
  bytes.set(file.subarray(0, from));
  const next = tableEnd + 4 <= file.length ? view.getUint32(tableEnd, little) : 0;
  writeHeader(bytes, at, little);
  writeDirectory(directory, at, bytes, little);
  const entries = directory.fields.length + directory.below.size;
  new DataView(bytes.buffer).setUint32(at + 2 + entries * ENTRY_BYTES, next, little);
  return bytes;
}
