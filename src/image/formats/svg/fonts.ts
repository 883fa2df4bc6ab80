/**
 * The fonts that texts are set in, as they come from `wasm/resvg/fonts.sh`: letters of Latin, Greek and Cyrillic. SVG
 * documents are set in the first family, whatever they name, unless they name another one of these.
 */
import monoBold from "../../../../wasm/resvg/fonts/mono-bold.woff2";
import mono from "../../../../wasm/resvg/fonts/mono.woff2";
import sansBold from "../../../../wasm/resvg/fonts/sans-bold.woff2";
import sans from "../../../../wasm/resvg/fonts/sans.woff2";
import serifBold from "../../../../wasm/resvg/fonts/serif-bold.woff2";
import serif from "../../../../wasm/resvg/fonts/serif.woff2";
import { fontTables } from "../../text/font-file.ts";

export interface Family {
  /** As the files call it, and documents do. */
  readonly name: string;
  readonly files: { readonly 400: ArrayBuffer; readonly 700: ArrayBuffer };
}

export const FAMILIES = {
  sans: { name: "Inter", files: { 400: sans, 700: sansBold } },
  serif: { name: "Noto Serif", files: { 400: serif, 700: serifBold } },
  mono: { name: "Noto Sans Mono", files: { 400: mono, 700: monoBold } },
} as const satisfies Record<string, Family>;

/** The families that a document may be set in; none without letters. */
export function familiesOf(document: string): Family[] {
  if (!document.includes("<text")) return [];
  return Object.values(FAMILIES).filter((family) => family === FAMILIES.sans || document.includes(family.name));
}

/** Of tables, and of their directory. */
const ALIGNMENT = 4;
const HEADER_BYTES = 12;
const ENTRY_BYTES = 16;

/** A font file as the renderer reads it: tables behind a directory (OpenType 1.9, "Organization of an OpenType font"). */
export function unpacked(file: ArrayBuffer): Uint8Array {
  const tables = fontTables(file);
  const names = Object.keys(tables).sort();
  const aligned = (bytes: number) => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
  const start = HEADER_BYTES + names.length * ENTRY_BYTES;
  const total = Object.values(tables).reduce((sum, { byteLength }) => sum + aligned(byteLength), start);
  const bytes = new Uint8Array(total);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, "CFF " in tables ? CFF_FONT : TRUETYPE_FONT);
  view.setUint16(4, names.length);
  let at = start;
  for (const [index, name] of names.entries()) {
    const table = tables[name]!;
    const entry = HEADER_BYTES + index * ENTRY_BYTES;
    for (const [place, letter] of [...name].entries()) view.setUint8(entry + place, letter.charCodeAt(0));
    view.setUint32(entry + 8, at);
    view.setUint32(entry + 12, table.byteLength);
    bytes.set(new Uint8Array(table.buffer, table.byteOffset, table.byteLength), at);
    at += aligned(table.byteLength);
  }
  return bytes;
}

const TRUETYPE_FONT = 0x0001_0000;
const CFF_FONT = 0x4f54_544f;
