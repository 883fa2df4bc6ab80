/** Letters that are drawn as one: the feature `liga` of a font's table GSUB (OpenType 1.9). */
import { counted, coverage, lookupsOf } from "./layout-table.ts";

const LIGATURES = 4;
const EXTENSION = 7;

/** The glyphs that are drawn for the glyphs of a text. */
export type Joining = (glyphs: readonly number[]) => readonly number[];

interface Ligature {
  readonly glyph: number;
  /** What follows the first glyph. */
  readonly rest: readonly number[];
}

export function joiningOf(table: DataView | undefined): Joining {
  if (!table) return (glyphs) => glyphs;
  const lookups = lookupsOf(table, "liga", EXTENSION).map((parts) => {
    const ligatures = parts.flatMap(({ kind, start }) => (kind === LIGATURES ? ligaturesOf(table, start) : []));
    return new Map(ligatures);
  });
  return (glyphs) => lookups.reduce((joined, ligatures) => join(joined, ligatures), glyphs);
}

function join(glyphs: readonly number[], ligatures: ReadonlyMap<number, readonly Ligature[]>): readonly number[] {
  const joined: number[] = [];
  for (let at = 0; at < glyphs.length; at++) {
    const first = glyphs[at]!;
    const found = ligatures
      .get(first)
      ?.find(({ rest }) => rest.every((glyph, after) => glyphs[at + 1 + after] === glyph));
    joined.push(found ? found.glyph : first);
    at += found ? found.rest.length : 0;
  }
  return joined;
}

/** By their first glyphs, those that win before others. */
function ligaturesOf(table: DataView, start: number): [number, Ligature[]][] {
  const covered = coverage(table, start + table.getUint16(start + 2));
  return [...covered].map(([first, index]) => {
    const set = start + table.getUint16(start + 6 + index * 2);
    const ligatures = counted(table.getUint16(set)).map((each) => {
      const ligature = set + table.getUint16(set + 2 + each * 2);
      const rest = counted(table.getUint16(ligature + 2) - 1).map((at) => table.getUint16(ligature + 4 + at * 2));
      return { glyph: table.getUint16(ligature), rest };
    });
    return [first, ligatures];
  });
}
