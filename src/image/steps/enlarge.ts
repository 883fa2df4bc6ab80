/** Super-resolution of rows: learned doublings, and what is left by the resampler. */
import { beside, type Price } from "../../../wasm/price.ts";
import { type Doubling, doublingPrice, openDoubling } from "../../../wasm/superres/superres.ts";
import { pump } from "../effect.ts";
import type { Size } from "../geometry.ts";
import type { RowStep } from "../operation.ts";
import { resample, resamplePrice } from "../resample.ts";
import type { Rows } from "../rows.ts";

/**
 * Pixels of the largest pictures that the networks double, in four to five seconds of processor time: a larger one would
 * take much of what a request may. The large network is for all frames of an animation together. What is too large for both
 * goes by filters alone, which take a twentieth of that.
 */
const MAX_LARGE_NETWORK_PIXELS = 1_100_000;
const MAX_SMALL_NETWORK_PIXELS = 4_000_000;

/** Enlarges a picture `factor` times, a whole number from 2. */
export function enlargeStep(size: Size, factor: number, frames = 1): RowStep {
  const result = times(size, factor);
  const doublings = doublingsOf(size, factor, frames);
  const prices: Price[] = [];
  let reached = size;
  for (const doubling of doublings) {
    prices.push(doublingPrice({ ...sizeOf(reached), doubling, opaque: false }));
    reached = times(reached, 2);
  }
  if (reached.width !== result.width) prices.push(resamplePrice(reached, result));
  return {
    kind: "rows",
    ...result,
    opaque: (input) => input,
    price: beside(...prices),
    apply: (rows) => enlarged(rows, doublings, result),
  };
}

/** There are filters for a second doubling; beyond four times there is little to be learned. */
function doublingsOf({ width, height }: Size, factor: number, frames: number): readonly Doubling[] {
  const pixels = width * height;
  const fits = pixels <= MAX_SMALL_NETWORK_PIXELS ? "small" : "filters";
  const first = pixels * frames <= MAX_LARGE_NETWORK_PIXELS ? "large" : fits;
  return factor === 2 ? [first] : [first, "again"];
}

function enlarged(rows: Rows, doublings: readonly Doubling[], result: Size): Rows {
  let large = rows;
  try {
    for (const doubling of doublings) large = doubled(large, doubling);
    return resample(large, { box: { x: 0, y: 0, ...sizeOf(large) }, ...result, kernel: "lanczos3" });
  } catch (error) {
    large.close();
    throw error;
  }
}

function doubled(rows: Rows, doubling: Doubling): Rows {
  const { opaque } = rows;
  const effect = openDoubling({ ...sizeOf(rows), doubling, opaque });
  return pump(rows, effect, { ...times(rows, 2), opaque });
}

function sizeOf({ width, height }: Size): Size {
  return { width, height };
}

function times({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor };
}
