/** The tables of a font file in the form WOFF 2.0 (W3C Recommendation, 2022), as far as texts are measured by them. */
import { zlib } from "../../../wasm/zlib.ts";

const HEADER_BYTES = 48;
/** The table's name is none of those that have a number. */
const OTHER_NAME = 63;
/** Names of tables by their numbers (section 4.1); later numbers are not in use here. */
const NAMES = (
  "cmap|head|hhea|hmtx|maxp|name|OS/2|post|cvt |fpgm|glyf|loca|prep|CFF |VORG|EBDT|EBLC|gasp|" +
  "hdmx|kern|LTSH|PCLT|VDMX|vhea|vmtx|BASE|GDEF|GPOS|GSUB"
).split("|");
const GLYF = 10;
const LOCA = 11;
const UNCHANGED_OUTLINES = 3;

/**
 * Tables as they are in a font that is not packed, by their names.
 * @throws Error when a table has another form there: our files have none such
 */
export function fontTables(file: ArrayBuffer): Record<string, DataView> {
  const view = new DataView(file);
  const packedBytes = view.getUint32(20);
  const directory = new Directory(view, HEADER_BYTES);
  const places = Array.from({ length: view.getUint16(12) }, () => directory.entry());
  const packed = new Uint8Array(file, directory.at, packedBytes);
  const tables = zlib().brotliDecompressSync(packed);
  const found: Record<string, DataView> = {};
  let at = 0;
  for (const { number, bytes } of places) {
    const name = NAMES[number];
    if (name !== undefined) found[name] = new DataView(tables.buffer, tables.byteOffset + at, bytes);
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

  /** The number of a table's name, and how many bytes it takes. */
  entry(): { number: number; bytes: number } {
    const flags = this.view.getUint8(this.at++);
    const number = flags & 63;
    if (number === OTHER_NAME) this.at += 4;
    const length = this.length();
    const version = flags >> 6;
    const isChanged = number === GLYF || number === LOCA ? version !== UNCHANGED_OUTLINES : version !== 0;
    if (isChanged) throw new Error("A font has a table in another form");
    return { number, bytes: length };
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
