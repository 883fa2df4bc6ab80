/** Super-resolution of rows: doublings by networks, and what is left by the resampler. */
import { parallel, type Estimate, estimated } from "../../../../wasm/estimate.ts";
import { doublingEstimate, type Network, openDoubling } from "../../../../wasm/superres/superres.ts";
import type { Size } from "../../pixels/geometry.ts";
import type { Rows } from "../../pixels/rows.ts";
import { pump } from "../../steps/effect.ts";
import type { RowStep } from "../../steps/operation.ts";
import { resample, resampleEstimate } from "../../steps/resample.ts";
import { lookAhead } from "./lookahead.ts";
import { type Traces, tracesOf } from "./traces.ts";

/**
 * Pixels of the largest pictures that each network doubles, and that it doubles as the mean of two forms, in four to five
 * seconds of processor time: a larger one would take much of what a request may. The large network, and two forms, are for
 * all frames of an animation together. What is too large for both networks is enlarged by the resampler.
 */
const MAX_PIXELS: Readonly<Record<Exclude<Network, "clean">, { readonly twoForms: number; readonly oneForm: number }>> =
  {
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

/** Rows at the top that are looked at for traces of compression and noise: most of what the large network doubles. */
const LOOK_ROWS = 256;
/** Pixels below which traces would not show. */
const LEAST_LOOK_PIXELS = 4_096;
/** The most of each trace that a clean picture has. */
const CLEAN: Traces = { blocks: 0.06, noise: 0.04 };
/**
 * Networks make more of noise than Lanczos3 does, and more of everything else: up to this share of noise luma is theirs, from
 * the second one on it is what Lanczos3 makes, and between them it is a mean of both.
 */
const NOISE = { faint: 0.01, strong: 0.2 };
/** To look at a pixel. */
const LOOK_NANOSECONDS = 40;

interface Enlarged {
  /** Of the picture that the step belongs to: what networks do is for all of them together. */
  readonly frames?: number;
  readonly opaque: boolean;
  /** The file that the picture comes from kept every sample of it; absent: samples were compressed, or may have been. */
  readonly lossless?: boolean;
}

/** Enlarges a picture `factor` times, a whole number from 2. */
export function enlargeStep(size: Size, factor: number, { frames = 1, opaque, lossless = false }: Enlarged): RowStep {
  const result = times(size, factor);
  const doublings = doublingsOf(size, factor, frames);
  // All frames of an animation are enlarged alike.
  const looks = doublings.length > 0 && frames === 1 && size.width * size.height >= LEAST_LOOK_PIXELS;
  const estimates: Estimate[] = looks ? [lookEstimate(size)] : [];
  let reached = size;
  for (const doubling of doublings) {
    estimates.push(doublingEstimate({ ...reached, ...doubling, opaque }));
    reached = times(reached, 2);
  }
  if (reached.width !== result.width) estimates.push(resampleEstimate(reached, result, { opaque }));
  return {
    kind: "rows",
    ...result,
    opaque: (input) => input,
    estimate: parallel(...estimates),
    apply: (rows) => {
      if (!looks) return enlarged(rows, doublings, result);
      const shown = { ...result, opaque: rows.opaque };
      return lookAhead(rows, LOOK_ROWS, shown, (first, all) =>
        enlarged(all, fitting(doublings, tracesIn(first, size), { lossless, opaque: rows.opaque }), result),
      );
    },
  };
}

/** The estimate of looking at the first rows, which are held, and luma besides. */
function lookEstimate({ width, height }: Size): Estimate {
  const pixels = width * Math.min(height, LOOK_ROWS);
  return estimated(5 * pixels, pixels, LOOK_NANOSECONDS);
}

function tracesIn(first: Uint8Array, { width }: Size): Traces {
  return tracesOf(first, { width, height: first.length / (4 * width) });
}

interface Doubling {
  readonly network: Network;
  readonly twoForms: boolean;
  /** How much of luma is the network's, absent: all. */
  readonly strength?: number;
}

/** The doublings that suit a picture with these traces, none where the resampler does as well. */
function fitting(
  doublings: readonly Doubling[],
  { blocks, noise }: Traces,
  { lossless, opaque }: Pick<Enlarged, "lossless" | "opaque">,
): readonly Doubling[] {
  const isClean = lossless === true && blocks < CLEAN.blocks && noise < CLEAN.noise;
  const strength = Math.min(1, Math.max(0, (NOISE.strong - noise) / (NOISE.strong - NOISE.faint)));
  // Outlines are what networks make of alpha, whatever the noise.
  if (strength === 0 && opaque) return [];
  return doublings.map(({ network, twoForms }) => ({
    network: isClean && network === "large" ? "clean" : network,
    twoForms,
    strength,
  }));
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
