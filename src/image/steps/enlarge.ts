/** Super-resolution of rows: doublings by networks, and what is left by the resampler. */
import { beside, type Price } from "../../../wasm/price.ts";
import { doublingPrice, type Network, openDoubling } from "../../../wasm/superres/superres.ts";
import { pump } from "../effect.ts";
import type { Size } from "../geometry.ts";
import type { RowStep } from "../operation.ts";
import { resample, resamplePrice } from "../resample.ts";
import type { Rows } from "../rows.ts";

/**
 * Pixels of the largest pictures that each network doubles, in four to five seconds of processor time: a larger one would
 * take much of what a request may. The large network is for all frames of an animation together. What is too large for both
 * is enlarged by the resampler.
 */
const MAX_LARGE_NETWORK_PIXELS = 1_100_000;
const MAX_SMALL_NETWORK_PIXELS = 4_000_000;
/**
 * Pixels, of all frames, of what is doubled a second time. On photographs that gains no more than the resampler does, on
 * drawings much; both doublings together take no longer than the first of the largest picture.
 */
const MAX_SECOND_PIXELS = 2_400_000;

interface Enlarged {
  /** Of the picture that the step belongs to: what networks do is for all of them together. */
  readonly frames?: number;
  readonly opaque: boolean;
}

/** Enlarges a picture `factor` times, a whole number from 2. */
export function enlargeStep(size: Size, factor: number, { frames = 1, opaque }: Enlarged): RowStep {
  const result = times(size, factor);
  const doublings = doublingsOf(size, factor, frames);
  const prices: Price[] = [];
  let reached = size;
  for (const network of doublings) {
    prices.push(doublingPrice({ ...reached, network, opaque }));
    reached = times(reached, 2);
  }
  if (reached.width !== result.width) prices.push(resamplePrice(reached, result, { opaque }));
  return {
    kind: "rows",
    ...result,
    opaque: (input) => input,
    price: beside(...prices),
    apply: (rows) => enlarged(rows, doublings, result),
  };
}

/** Beyond four times there is little to be learned. */
function doublingsOf({ width, height }: Size, factor: number, frames: number): readonly Network[] {
  const pixels = width * height;
  if (pixels > MAX_SMALL_NETWORK_PIXELS) return [];
  const first = pixels * frames <= MAX_LARGE_NETWORK_PIXELS ? "large" : "small";
  const isTwice = factor > 2 && 4 * pixels * frames <= MAX_SECOND_PIXELS;
  return isTwice ? [first, "small"] : [first];
}

function enlarged(rows: Rows, doublings: readonly Network[], result: Size): Rows {
  let large = rows;
  try {
    for (const [index, network] of doublings.entries()) large = doubled(large, network, index > 0);
    return resample(large, { box: { x: 0, y: 0, ...sizeOf(large) }, ...result, kernel: "lanczos3" });
  } catch (error) {
    large.close();
    throw error;
  }
}

function doubled(rows: Rows, network: Network, again: boolean): Rows {
  const { opaque } = rows;
  const effect = openDoubling({ ...sizeOf(rows), network, opaque, again });
  return pump(rows, effect, { ...times(rows, 2), opaque });
}

function sizeOf({ width, height }: Size): Size {
  return { width, height };
}

function times({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor };
}
