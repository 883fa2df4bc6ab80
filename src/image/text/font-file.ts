/** The tables of a font file in the form WOFF 2.0 (W3C Recommendation, 2022), as far as texts are measured by them. */
import { zlib } from "../../../wasm/zlib.ts";

const HEADER_BYTES = 48;
/** The table's name is none of those that have a number. */
const OTHER_NAME = 63;
/** Numbers of tables, and those whose form may be changed by default. */
const NUMBERS = { cmap: 0, head: 1, hhea: 2, hmtx: 3, GPOS: 27, GSUB: 28 } as const;
const GLYF = 10;
const LOCA = 11;
const UNCHANGED_OUTLINES = 3;

export type TableName = keyof typeof NUMBERS;

/** Tables as they are in a font that is not packed; those that are not there are absent. */
export type FontTables = Partial<Record<TableName, DataView>>;

export function fontTables(file: ArrayBuffer): FontTables {
  const view = new DataView(file);
  const packedBytes = view.getUint32(20);
  const directory = new Directory(view, HEADER_BYTES);
  const places = Array.from({ length: view.getUint16(12) }, () => directory.entry());
  const packed = new Uint8Array(file, directory.at, packedBytes);
  const tables = zlib().brotliDecompressSync(packed);
  const found: FontTables = {};
  let at = 0;
  for (const { number, bytes } of places) {
    const [name] = Object.entries(NUMBERS).find(([, known]) => known === number) ?? [];
    if (name) found[name as TableName] = new DataView(tables.buffer, tables.byteOffset + at, bytes);
    at += bytes;
  }
  return found;
}

/** Reads the directory of tables. */
class Directory {
  at: number;
  private readonly view: DataView;

  constructor(view: DataView, at: number) {
    this.view = view;
    this.at = at;
  }

  /** The number of a table's name, and how many bytes it takes once it is unpacked. */
  entry(): { number: number; bytes: number } {
    const flags = this.view.getUint8(this.at++);
    const number = flags & 63;
    if (number === OTHER_NAME) this.at += 4;
    const length = this.length();
    const version = flags >> 6;
    const isChanged = number === GLYF || number === LOCA ? version !== UNCHANGED_OUTLINES : version !== 0;
    return { number, bytes: isChanged ? this.length() : length };
  }

  /** A number in groups of seven bits, of which all but the last say that another one follows. */
  private length(): number {
    let value = 0;
    for (;;) {
      const byte = this.view.getUint8(this.at++);
      value = (value << 7) | (byte & 127);
      if ((byte & 128) === 0) return value;
    }
  }
}
