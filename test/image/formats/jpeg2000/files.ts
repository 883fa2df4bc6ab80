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
