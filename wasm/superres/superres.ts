/** Doubling by learned filters. */
import { native } from "../load.ts";
import { type Price, priced } from "../price.ts";
import { type Effect, openStream, type StreamExports, WINDOW_ROWS } from "../stream.ts";
import module from "./superres.wasm";

interface SuperresExports extends StreamExports {
  superres_open(width: number, height: number, doubling: number, opaque: number): number;
}

/** Linear memory that the idle instance may keep: what doubling twice a row of 2,000 pixels needs. */
const KEEP_BYTES = 8 << 20;

const superres = native<SuperresExports>(module, { name: "superres", keepBytes: KEEP_BYTES });

/** Which doubling of the picture it is: the second has filters of its own, learned from what the first one makes. */
export type Doubling = 0 | 1;

interface Doubled {
  /** Pixels, of the source. */
  readonly width: number;
  /** Pixels, of the source. */
  readonly height: number;
  readonly doubling: Doubling;
  readonly opaque: boolean;
}

/**
 * Rows of a picture twice as wide and twice as high.
 * @throws NativeError when memory ran out
 */
export function openDoubling({ width, height, doubling, opaque }: Doubled): Effect {
  return openStream(superres, width, 2 * width, (exports) =>
    exports.superres_open(width, height, doubling, opaque ? 1 : 0),
  );
}

/** Four pixels of the result, by the pixel that they come from. */
const NANOSECONDS = { opaque: 40, translucent: 58 } as const;

/** The price of doubling a picture of this size. */
export function doublingPrice({ width, height, opaque }: Omit<Doubled, "doubling">): Price {
  const plane = width + 40;
  const ring = 9 * 5 * plane * 2;
  const moments = (5 + 1) * 3 * plane * 4;
  const bounds = 2 * 4 * plane * 2 + plane * 2;
  const bytes = 3 * width * 4 * WINDOW_ROWS + ring + moments + bounds + width * 8 + 1024;
  return priced(bytes, width * height, opaque ? NANOSECONDS.opaque : NANOSECONDS.translucent);
}
