/** What the tables GPOS and GSUB of a font have in common (OpenType 1.9): features, lookups, coverage. */

/** A part of a lookup: of which kind it is, and where it begins. */
interface Part {
  readonly kind: number;
  readonly start: number;
}

/**
 * The lookups of a feature in their order, each with its parts; scripts share them.
 * @param tag of four letters
 * @param extension the kind of parts that only say where another one is
 */
export function lookupsOf(table: DataView, tag: string, extension: number): Part[][] {
  const features = table.getUint16(6);
  const lookups = table.getUint16(8);
  const numbers = new Set<number>();
  for (const index of counted(table.getUint16(features))) {
    const record = features + 2 + index * 6;
    const name = String.fromCharCode(...counted(4).map((at) => table.getUint8(record + at)));
    if (name !== tag) continue;
    const feature = features + table.getUint16(record + 4);
    for (const each of counted(table.getUint16(feature + 2))) numbers.add(table.getUint16(feature + 4 + each * 2));
  }
  const inOrder = [...numbers].toSorted((a, b) => a - b);
  return inOrder.map((number) => partsOf(table, lookups + table.getUint16(lookups + 2 + number * 2), extension));
}

function partsOf(table: DataView, lookup: number, extension: number): Part[] {
  const kind = table.getUint16(lookup);
  return counted(table.getUint16(lookup + 4)).map((index) => {
    const start = lookup + table.getUint16(lookup + 6 + index * 2);
    if (kind !== extension) return { kind, start };
    return { kind: table.getUint16(start + 2), start: start + table.getUint32(start + 4) };
  });
}

/** Glyphs, each with its place among those that a part is about. */
export function coverage(table: DataView, start: number): Map<number, number> {
  const isList = table.getUint16(start) === 1;
  const covered = new Map<number, number>();
  for (const index of counted(table.getUint16(start + 2))) {
    if (isList) covered.set(table.getUint16(start + 4 + index * 2), index);
    else {
      const range = start + 4 + index * 6;
      const [first, last, place] = [table.getUint16(range), table.getUint16(range + 2), table.getUint16(range + 4)];
      for (let glyph = first; glyph <= last; glyph++) covered.set(glyph, place + glyph - first);
    }
  }
  return covered;
}

export function counted(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
