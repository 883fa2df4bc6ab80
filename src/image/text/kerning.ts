/** How far pairs of letters move together or apart: the feature `kern` of a font's table GPOS (OpenType 1.9). */
import { counted, coverage, lookupsOf } from "./layout-table.ts";

/** In units of the font, by glyphs; 0 for most pairs. */
export type Kerning = (left: number, right: number) => number;

const PAIRS = 2;
const EXTENSION = 9;
/** Of the bits of a value's format: what comes before how far the letter advances, and that itself. */
const BEFORE_ADVANCE = 0b11;
const ADVANCE = 0b100;

/** Undefined where a part of the table does not know the pair. */
type Pairs = (left: number, right: number) => number | undefined;

export function kerningOf(table: DataView | undefined): Kerning {
  if (!table) return () => 0;
  const lookups = lookupsOf(table, "kern", EXTENSION).map((parts) =>
    parts.filter(({ kind }) => kind === PAIRS).map(({ start }) => pairsOf(table, start)),
  );
  return (left, right) => lookups.reduce((sum, parts) => sum + firstOf(parts, left, right), 0);
}

function firstOf(parts: readonly Pairs[], left: number, right: number): number {
  for (const part of parts) {
    const value = part(left, right);
    if (value !== undefined) return value;
  }
  return 0;
}

function pairsOf(table: DataView, start: number): Pairs {
  const covered = coverage(table, start + table.getUint16(start + 2));
  const first = table.getUint16(start + 4);
  const valueBytes = (bits(first) + bits(table.getUint16(start + 6))) * 2;
  const before = bits(first & BEFORE_ADVANCE) * 2;
  const value = (at: number) => ((first & ADVANCE) === 0 ? 0 : table.getInt16(at + before));
  if (table.getUint16(start) === 2)
    return byClasses(table, start, covered, (cell) => value(start + 16 + cell * valueBytes));
  const sets = [...covered].map(([glyph, index]) => {
    const set = start + table.getUint16(start + 10 + index * 2);
    const records = counted(table.getUint16(set)).map((pair) => set + 2 + pair * (2 + valueBytes));
    return [glyph, new Map(records.map((record) => [table.getUint16(record), value(record + 2)]))] as const;
  });
  const byFirst = new Map(sets);
  return (left, right) => byFirst.get(left)?.get(right);
}

/** @param valueAt the value of a cell of the table of classes */
function byClasses(
  table: DataView,
  start: number,
  covered: ReadonlyMap<number, number>,
  valueAt: (cell: number) => number,
): Pairs {
  const lefts = classes(table, start + table.getUint16(start + 8));
  const rights = classes(table, start + table.getUint16(start + 10));
  const columns = table.getUint16(start + 14);
  return (left, right) =>
    covered.has(left) ? valueAt((lefts.get(left) ?? 0) * columns + (rights.get(right) ?? 0)) : undefined;
}

/** The classes of glyphs; all others are of class 0. */
function classes(table: DataView, start: number): Map<number, number> {
  const found = new Map<number, number>();
  if (table.getUint16(start) === 1) {
    const first = table.getUint16(start + 2);
    for (const index of counted(table.getUint16(start + 4)))
      found.set(first + index, table.getUint16(start + 6 + index * 2));
    return found;
  }
  for (const index of counted(table.getUint16(start + 2))) {
    const range = start + 4 + index * 6;
    for (let glyph = table.getUint16(range); glyph <= table.getUint16(range + 2); glyph++)
      found.set(glyph, table.getUint16(range + 4));
  }
  return found;
}

function bits(flags: number): number {
  let count = 0;
  for (let left = flags; left > 0; left >>= 1) count += left & 1;
  return count;
}
