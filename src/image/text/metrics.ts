/** What a font says of its letters: which it has, and how much room they take. */
import { fontTables } from "./font-file.ts";
import { type Kerning, kerningOf } from "./kerning.ts";
import { joiningOf } from "./ligatures.ts";

export interface Metrics {
  /** From the baseline to the top and to the bottom of a line, and from one line to the next, in parts of the font's size. */
  readonly ascent: number;
  readonly descent: number;
  readonly lineHeight: number;
  readonly has: (codePoint: number) => boolean;
  /** How far a text advances, in parts of the font's size: letters, ligatures and kerning. */
  readonly widthOf: (text: string) => number;
}

/** Of files that were read before. */
const known = new WeakMap<ArrayBuffer, Metrics>();

export function metricsOf(file: ArrayBuffer): Metrics {
  const metrics = known.get(file) ?? readMetrics(file);
  known.set(file, metrics);
  return metrics;
}

function readMetrics(file: ArrayBuffer): Metrics {
  const { cmap, head, hhea, hmtx, GPOS, GSUB } = fontTables(file);
  if (!cmap || !head || !hhea || !hmtx) throw new Error("A font lacks a table");
  const glyphs = glyphsOf(cmap);
  const unit = 1 / head.getUint16(18);
  const [ascent, descent, gap] = [hhea.getInt16(4), -hhea.getInt16(6), hhea.getInt16(8)];
  const last = hhea.getUint16(34) - 1;
  const advance = (glyph: number) => hmtx.getUint16(Math.min(glyph, last) * 4);
  const kerning = kerningOf(GPOS);
  const joining = joiningOf(GSUB);
  return {
    ascent: ascent * unit,
    descent: descent * unit,
    lineHeight: (ascent + descent + gap) * unit,
    has: (codePoint) => glyphs.has(codePoint),
    widthOf(text) {
      const characters = Array.from(text, (character) => glyphs.get(character.codePointAt(0) ?? 0) ?? 0);
      return advanceOf(joining(characters), advance, kerning) * unit;
    },
  };
}

function advanceOf(glyphs: readonly number[], advance: (glyph: number) => number, kerning: Kerning): number {
  return glyphs.reduce((sum, glyph, at) => {
    const before = glyphs[at - 1];
    return sum + advance(glyph) + (before === undefined ? 0 : kerning(before, glyph));
  }, 0);
}

/** The glyph of each character, from a table of format 4, which has all of the Basic Multilingual Plane. */
function glyphsOf(table: DataView): Map<number, number> {
  const starts = Array.from({ length: table.getUint16(2) }, (_, index) => table.getUint32(4 + index * 8 + 4));
  const start = starts.find((at) => table.getUint16(at) === 4);
  if (start === undefined) throw new Error("A font has no table of characters that is known");
  const doubled = table.getUint16(start + 6);
  const ends = start + 14;
  const glyphs = new Map<number, number>();
  for (let at = 0; at < doubled; at += 2) {
    const first = table.getUint16(ends + doubled + 2 + at);
    const last = Math.min(0xfffe, table.getUint16(ends + at));
    const delta = table.getUint16(ends + 2 * doubled + 2 + at);
    const place = ends + 3 * doubled + 2 + at;
    const offset = table.getUint16(place);
    for (let character = first; character <= last; character++) {
      const direct = offset === 0 ? character : table.getUint16(place + offset + (character - first) * 2);
      if (direct !== 0) glyphs.set(character, (direct + delta) & 0xffff);
    }
  }
  return glyphs;
}
