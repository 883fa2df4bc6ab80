/** Pixels that are needed several times, computed once. */
import { Band } from "../../wasm/pixels/band.ts";
import { BAND_ROWS } from "./band.ts";
import { firstFrame, type Picture } from "./picture.ts";
import { type Rows, rowsOver } from "./rows.ts";

/** Larger pictures are computed anew each time. */
const MAX_KEPT_PIXELS = 4_000_000;

/** The size of a picture, and whether it has alpha. */
type Extent = Pick<Rows, "width" | "height" | "opaque">;

/** Bytes that the kept pixels of a picture take: three each without alpha, four with it. */
export function keptBytes({ width, height, opaque }: Extent): number {
  return width * height * bytesOf(opaque);
}

function bytesOf(opaque: boolean): number {
  return opaque ? 3 : 4;
}

/** Whether a picture that is opened several times is worth its memory: to decode and work on it takes long, to keep it 12 MB. */
export function isWorthKeeping({ width, height, frames }: Pick<Picture, "width" | "height" | "frames">): boolean {
  return frames === 1 && width * height <= MAX_KEPT_PIXELS;
}

/**
 * A picture that is opened many times, read once: the first opening reads it to its end and keeps its pixels.
 * @param whenRead called once they are kept
 */
export function kept(open: () => Rows, whenRead?: () => void): () => Rows {
  let pixels: Pixels | undefined;
  return () => {
    if (!pixels) {
      pixels = collected(open());
      whenRead?.();
    }
    return pixels.opaque ? opaqueRows(pixels) : rowsOver(pixels.bytes, pixels);
  };
}

/** The same of a still picture. */
export function keptPicture(picture: Picture, whenRead?: () => void): Picture {
  const open = kept(() => firstFrame(picture), whenRead);
  return { ...picture, open: () => [{ delayMs: 0, rows: open() }] };
}

interface Pixels extends Extent {
  /** As `keptBytes` counts them. */
  readonly bytes: Uint8Array;
}

function collected(rows: Rows): Pixels {
  const { width, height, opaque } = rows;
  const bytes = new Uint8Array(keptBytes(rows));
  const band = new Band(width * BAND_ROWS);
  try {
    let at = 0;
    for (let read = rows.read(BAND_ROWS); read; read = rows.read(BAND_ROWS)) {
      const pixels = opaque ? band.load(read).takeColors() : read;
      bytes.set(pixels, at);
      at += pixels.length;
    }
  } finally {
    band.close();
    rows.close();
  }
  return { width, height, opaque, bytes };
}

/** Opaque pixels of three bytes each, as rows. */
function opaqueRows({ bytes, ...extent }: Pixels): Rows {
  const colors = rowsOver(bytes, extent, bytesOf(true));
  const band = new Band(extent.width * BAND_ROWS);
  return {
    ...colors,
    read(max) {
      const read = colors.read(Math.min(max, BAND_ROWS));
      return read && band.loadOpaque(read).pixels;
    },
    close: () => band.close(),
  };
}
