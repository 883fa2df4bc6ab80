/** From rows to what IDAT and fdAT hold. */
import { openPngWriter, type PngInput } from "../../../../wasm/pixels/png.ts";
import type { Size } from "../../geometry.ts";
import type { Choice } from "./tuning.ts";

/** The compressed pixels, in pieces. `bands` are whole rows, at most 16 at a time. */
export function compress(
  { representation, strategy, level }: Choice,
  { width, height }: Size,
  bands: Iterable<Uint8Array>,
  input: PngInput = "rgba",
): Uint8Array[] {
  const writer = openPngWriter({ ...representation, width, strategy, level, input });
  const pieces: Uint8Array[] = [];
  let rows = 0;
  try {
    for (const band of bands) {
      rows += band.length / writer.rowBytes;
      const piece = writer.write(band, rows === height);
      if (piece.length > 0) pieces.push(piece);
    }
    return pieces;
  } finally {
    writer.close();
  }
}
