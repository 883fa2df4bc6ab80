/** ICC profiles of curves and a matrix, written (ICC.1:2010). */

/** The curve of the parametric type 3: (a v + b) ^ g from d on, c v below. */
export type Curve = readonly [g: number, a: number, b: number, c: number, d: number];

/** The white of the connection space. */
export const D50 = [0.9642, 1, 0.8249] as const;

type Tag = readonly [name: string, data: Uint8Array];

/** Type 3 of parametricCurveType. */
export function parametric(curve: Curve): Uint8Array {
  return element("para", curve, 3);
}

/** curveType: a curve by values from 0 to 1 at even distances, with straight lines between them. */
export function sampled(curve: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(padded(12 + curve.length * 2));
  const view = new DataView(bytes.buffer);
  write(bytes, 0, "curv");
  view.setUint32(8, curve.length);
  for (const [point, value] of curve.entries()) view.setUint16(12 + point * 2, Math.round(value * 65_535));
  return bytes;
}

/** Numbers of 16 bits before and behind the point. */
export function values(type: "XYZ " | "sf32", numbers: readonly number[]): Uint8Array {
  return element(type, numbers);
}

/** A tag's data: its type, four bytes that only curves use, and numbers. */
function element(type: string, numbers: readonly number[], kind?: number): Uint8Array {
  const start = kind === undefined ? 8 : 12;
  const bytes = new Uint8Array(start + numbers.length * 4);
  const view = new DataView(bytes.buffer);
  write(bytes, 0, type);
  if (kind !== undefined) view.setUint16(8, kind);
  for (const [index, number] of numbers.entries()) view.setInt32(start + index * 4, Math.round(number * 65_536));
  return bytes;
}

const TEXT_START = 28;

/** multiLocalizedUnicodeType with one text, in English. */
function text(words: string): Uint8Array {
  const bytes = new Uint8Array(padded(TEXT_START + words.length * 2));
  const view = new DataView(bytes.buffer);
  write(bytes, 0, "mluc");
  view.setUint32(8, 1);
  view.setUint32(12, 12);
  write(bytes, 16, "enUS");
  view.setUint32(20, words.length * 2);
  view.setUint32(24, TEXT_START);
  for (let at = 0; at < words.length; at++) view.setUint16(TEXT_START + at * 2, words.charCodeAt(at));
  return bytes;
}

/** Data of tags begins at multiples of four (7.2.1). */
function padded(length: number): number {
  return Math.ceil(length / 4) * 4;
}

const HEADER_BYTES = 128;
/** Every profile has a date; those made of the same code points are the same. */
const DATE = [2026, 1, 1] as const;

/** A display profile of version 4; tags with the same data share it. */
export function iccProfile(space: "GRAY" | "RGB ", name: string, own: readonly Tag[]): Uint8Array {
  const tags: readonly Tag[] = [["desc", text(name)], ["cprt", text("CC0")], ...own];
  const elements = [...new Set(tags.map(([, data]) => data))];
  const start = HEADER_BYTES + 4 + tags.length * 12;
  const bytes = new Uint8Array(elements.reduce((sum, data) => sum + data.length, start));
  writeHeader(bytes, space);
  const offsets = new Map<Uint8Array, number>();
  let offset = start;
  for (const data of elements) {
    offsets.set(data, offset);
    bytes.set(data, offset);
    offset += data.length;
  }
  const view = new DataView(bytes.buffer);
  view.setUint32(HEADER_BYTES, tags.length);
  for (const [index, [tag, data]] of tags.entries()) {
    const row = HEADER_BYTES + 4 + index * 12;
    write(bytes, row, tag);
    view.setUint32(row + 4, offsets.get(data) ?? start);
    view.setUint32(row + 8, data.length);
  }
  return bytes;
}

function writeHeader(bytes: Uint8Array, space: string): void {
  const view = new DataView(bytes.buffer);
  view.setUint32(0, bytes.length);
  view.setUint32(8, 0x04300000);
  write(bytes, 12, "mntr");
  write(bytes, 16, space);
  write(bytes, 20, "XYZ ");
  for (const [index, number] of DATE.entries()) view.setUint16(24 + index * 2, number);
  write(bytes, 36, "acsp");
  for (const [index, number] of D50.entries()) view.setInt32(68 + index * 4, Math.round(number * 65_536));
}

function write(bytes: Uint8Array, at: number, letters: string): void {
  bytes.set(new TextEncoder().encode(letters), at);
}
