/** Super-resolution of rows: doublings by networks, and what is left by the resampler. */
import { beside, type Price } from "../../../wasm/price.ts";
import { doublingPrice, type Network, openDoubling } from "../../../wasm/superres/superres.ts";
import { pump } from "../effect.ts";
import type { Size } from "../geometry.ts";
import type { RowStep } from "../operation.ts";
import { resample, resamplePrice } from "../resample.ts";
import type { Rows } from "../rows.ts";

/**
 * Pixels of the largest pictures that each network doubles, and that it doubles as the mean of two forms, in four to five
 * seconds of processor time: a larger one would take much of what a request may. The large network, and two forms, are for
 * all frames of an animation together. What is too large for both networks is enlarged by the resampler.
 */
const MAX_PIXELS: Readonly<Record<Network, { readonly twoForms: number; readonly oneForm: number }>> = {
  large: { twoForms: 550_000, oneForm: 1_100_000 },
  small: { twoForms: 2_000_000, oneForm: 4_000_000 },
};
/** Of what is doubled again after two forms. */
const MAX_TWO_FORMS_AND_AGAIN = 400_000;
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
  for (const doubling of doublings) {
    prices.push(doublingPrice({ ...reached, ...doubling, opaque }));
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

interface Doubling {
  readonly network: Network;
  readonly twoForms: boolean;
}

/** Beyond four times there is little to be learned. */
function doublingsOf({ width, height }: Size, factor: number, frames: number): readonly Doubling[] {
  const pixels = width * height;
  if (pixels > MAX_PIXELS.small.oneForm) return [];
  const network = pixels * frames <= MAX_PIXELS.large.oneForm ? "large" : "small";
  const isTwice = factor > 2 && 4 * pixels * frames <= MAX_SECOND_PIXELS;
  const twoForms = pixels * frames <= (isTwice ? MAX_TWO_FORMS_AND_AGAIN : MAX_PIXELS[network].twoForms);
  const first = { network, twoForms } as const;
  return isTwice ? [first, { network: "small", twoForms: false }] : [first];
}

function enlarged(rows: Rows, doublings: readonly Doubling[], result: Size): Rows {
  let large = rows;
  try {
    for (const [index, doubling] of doublings.entries()) large = doubled(large, doubling, index > 0);
    return resample(large, { box: { x: 0, y: 0, ...sizeOf(large) }, ...result, kernel: "lanczos3" });
  } catch (error) {
    large.close();
    throw error;
  }
}

function doubled(rows: Rows, doubling: Doubling, again: boolean): Rows {
  const { opaque } = rows;
  const effect = openDoubling({ ...sizeOf(rows), ...doubling, opaque, again });
  return pump(rows, effect, { ...times(rows, 2), opaque });
}

function sizeOf({ width, height }: Size): Size {
  return { width, height };
}

function times({ width, height }: Size, factor: number): Size {
  return { width: width * factor, height: height * factor };
}
