/**
 * When a format is given up: its file would plainly be larger than the one that there is in another format. The same
 * sample is written in both, which says more than the sample of one and the file of the other.
 */
import type { Search } from "./goal.ts";

/** Tries made in a fast pass take up to half as many bytes again, and a sample is not quite the picture. */
const HOPELESS = 2;
/**
 * Two formats differ on the whole picture as they do on its sample, by a bit more or less; by more where one of them is
 * written in a fast pass.
 */
const BEATEN = 1.15;
const BEATEN_IN_FAST_PASS = 1.5;

/**
 * Bytes of the sample from which on lossy files of the picture are given up: they will plainly be larger than its
 * upper bound.
 */
export function mostOnSample(search: Search): number {
  const { reference, upperBoundSampleBytes = Infinity, triesFinal } = search;
  const most = mostInFastPass(search);
  return reference.sample.tiles || !triesFinal ? most : Math.min(most, upperBoundSampleBytes * BEATEN);
}

/** The same where it is written in a fast pass. */
export function mostInFastPass({ reference, upperBoundBytes, upperBoundSampleBytes = Infinity }: Search): number {
  return Math.min((upperBoundBytes / partsOf(reference)) * HOPELESS, upperBoundSampleBytes * BEATEN_IN_FAST_PASS);
}

/** How many times the sample is smaller than the picture. */
export function partsOf({ size, sample }: Search["reference"]): number {
  return (size.width * size.height) / (sample.picture.width * sample.picture.height);
}
