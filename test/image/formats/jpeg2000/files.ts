/** JP2 files put together from boxes and a codestream. */

export function box(type: string, content: Uint8Array | readonly number[], length = content.length + 8): Uint8Array {
  return Uint8Array.from([...number32(length), ...letters(type), ...content]);
}

/** The boxes of a header around a codestream, which begins where the others end. */
export function jp2File(codestream: ArrayBuffer | Uint8Array, header: readonly Uint8Array[], ...others: Uint8Array[]) {
  const stream = new Uint8Array(codestream);
  const parts = [
    box("jP  ", [0x0d, 0x0a, 0x87, 0x0a]),
    box("ftyp", [...letters("jp2 "), 0, 0, 0, 0, ...letters("jp2 ")]),
    box(
      "jp2h",
      [
        box(
          "ihdr",
          Array.from({ length: 14 }, () => 0),
        ),
        ...header,
      ].flatMap((part) => [...part]),
    ),
    ...others,
    box("jp2c", stream),
  ];
  return Uint8Array.from(parts.flatMap((part) => [...part]));
}

export function enumerated(space: number): Uint8Array {
  return box("colr", [1, 0, 0, ...number32(space)]);
}

export function profiled(profile: ArrayBuffer | Uint8Array): Uint8Array {
  return box("colr", [2, 0, 0, ...new Uint8Array(profile)]);
}

/** Channel, kind and association, each. */
export function definitions(...channels: readonly (readonly [number, number, number])[]): Uint8Array {
  return box("cdef", [0, channels.length, ...channels.flat().flatMap((value) => [0, value])]);
}

/** A palette of 8-bit colors for component 0. */
export function palette(...colors: readonly (readonly number[])[]): Uint8Array[] {
  const columns = colors[0]?.length ?? 0;
  const depths = Array.from({ length: columns }, () => 7);
  const mapping = depths.flatMap((_, column) => [0, 0, 1, column]);
  return [box("pclr", [0, colors.length, columns, ...depths, ...colors.flat()]), box("cmap", mapping)];
}

function letters(text: string): number[] {
  return [...text].map((letter) => letter.charCodeAt(0));
}

function number32(value: number): number[] {
  return [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255];
}

const START_OF_TILE = 0xff90;
const RESERVED = [0xff, 0x3a];

/** A tile part's head: where it begins, its tile, its length, its number, and how many the tile says to have. */
export interface PartHead {
  readonly at: number;
  readonly tile: number;
  readonly length: number;
  readonly number: number;
  readonly count: number;
}

/** The heads of all tile parts of a codestream, and where the first begins and the last ends. */
export function partsOf(codestream: Uint8Array): { parts: PartHead[]; begin: number; end: number } {
  const view = new DataView(codestream.buffer, codestream.byteOffset, codestream.length);
  let at = 2;
  while (view.getUint16(at) !== START_OF_TILE) at += 2 + view.getUint16(at + 2);
  const begin = at;
  const parts: PartHead[] = [];
  while (view.getUint16(at) === START_OF_TILE) {
    const length = view.getUint32(at + 6);
    const [number, count] = [view.getUint8(at + 10), view.getUint8(at + 11)];
    parts.push({ at, tile: view.getUint16(at + 4), length, number, count });
    at += length;
  }
  return { parts, begin, end: at };
}

/** A copy of a codestream whose tile parts have other numbers or counts. */
export function renumbered(
  codestream: Uint8Array,
  change: (part: PartHead) => Partial<Pick<PartHead, "number" | "count">>,
): Uint8Array {
  const copy = codestream.slice();
  for (const part of partsOf(codestream).parts) {
    const { number, count } = { ...part, ...change(part) };
    copy.set([number, count], part.at + 10);
  }
  return copy;
}

/** A codestream with a reserved marker before the first tile part, and one in the header of every tile part. */
export function withReservedMarkers(codestream: Uint8Array): Uint8Array {
  const { parts, begin, end } = partsOf(codestream);
  const pieces = parts.map(({ at, length }) => {
    const head = codestream.slice(at, at + 12);
    new DataView(head.buffer).setUint32(6, length + RESERVED.length);
    return [...head, ...RESERVED, ...codestream.subarray(at + 12, at + length)];
  });
  return Uint8Array.from([
    ...codestream.subarray(0, begin),
    ...RESERVED,
    ...pieces.flat(),
    ...codestream.subarray(end),
  ]);
}

/** A codestream whose tiles begin with a part that holds nothing, not even a packet. */
export function withEmptyParts(codestream: Uint8Array): Uint8Array {
  const { parts, begin } = partsOf(codestream);
  const tiles = [...new Set(parts.map(({ tile }) => tile))];
  const empty = tiles.flatMap((tile) => [0xff, 0x90, 0, 10, tile >> 8, tile & 255, 0, 0, 0, 14, 0, 0, 0xff, 0x93]);
  const later = renumbered(codestream, ({ number, count }) => ({ number: number + 1, count: count && count + 1 }));
  return Uint8Array.from([...codestream.subarray(0, begin), ...empty, ...later.subarray(begin)]);
}
