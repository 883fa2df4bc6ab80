/** The transfer functions of ITU-R BT.2100, brought into the range of an ordinary screen. */

/** Light, 1 being white, of a sample from 0 to 1. */
export type Transfer = (sample: number) => number;

/** The brightness of white in a picture for an ordinary screen, and the most that is expected (ITU-R BT.2408). */
const WHITE_NITS = 203;
const PEAK_NITS = 1_000;

/** The brightest light that is expected, 1 being white. */
export const PEAK = PEAK_NITS / WHITE_NITS;

/** Light of the perceptual quantizer (PQ), up to 49 times that of white. */
export const perceptualLight: Transfer = (sample) => perceptual(sample) / WHITE_NITS;

/** Light of hybrid log-gamma (HLG), on a screen of the expected peak. */
export const hybridLight: Transfer = (sample) => (PEAK_NITS * hybrid(sample) ** 1.2) / WHITE_NITS;

export const quantizedPerceptually: Transfer = (sample) => mapped(perceptualLight(sample));

export const hybridLogGamma: Transfer = (sample) => mapped(hybridLight(sample));

/** SMPTE ST 2084, in candelas per square meter. */
function perceptual(sample: number): number {
  const root = sample ** (1 / 78.84375);
  return 10_000 * (Math.max(0, root - 0.8359375) / (18.8515625 - 18.6875 * root)) ** (1 / 0.1593017578125);
}

/** ITU-R BT.2100: the light of the scene. */
function hybrid(sample: number): number {
  return sample <= 0.5 ? sample ** 2 / 3 : (Math.exp((sample - 0.55991073) / 0.17883277) + 0.28466892) / 12;
}

/** Highlights give way, so that those up to the peak fit below white (Reinhard et al. 2002, equation 4). */
export function mapped(light: number): number {
  return Math.min(1, (light * (1 + light / PEAK ** 2)) / (1 + light));
}
