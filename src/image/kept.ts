import type { Rows } from "./rows.ts";

/**
 * A small picture that is opened many times, read once: the first opening reads it to its end and keeps its pixels.
 * Bytes held: four a pixel.
 */
export function kept(open: () => Rows): () => Rows {
  let picture: { readonly rows: Rows; readonly pixels: Uint8Array } | undefined;
  return () => {
    picture ??= collect(open());
    const { rows, pixels } = picture;
    const { width, height, opaque } = rows;
    let y = 0;
    return {
      width,
      height,
      opaque,
      read(max) {
        if (y === height) return null;
        const from = y;
        y = Math.min(height, y + max);
        return pixels.subarray(from * width * 4, y * width * 4);
      },
      close() {},
    };
  };
}

function collect(rows: Rows) {
  const pixels = new Uint8Array(rows.width * rows.height * 4);
  try {
    let at = 0;
    for (let band = rows.read(16); band; band = rows.read(16)) {
      pixels.set(band, at);
      at += band.length;
    }
  } finally {
    rows.close();
  }
  return { rows, pixels };
}
