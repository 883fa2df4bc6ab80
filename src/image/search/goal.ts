/**
 * What a search through pixels is for, what it goes on with, and when it is given up: once its file would plainly be
 * larger than the one that there is in another format. The same sample is written in both, which says more than the
 * sample of one and the file of the other.
 */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings, Scale } from "../codec/writer.ts";
import type { Patience } from "./presets.ts";
import type { Judge, ProbeAt } from "./probe.ts";
import type { Reference } from "./reference.ts";
import type { EncodeOptions, WritableFormat } from "./task.ts";

/** What is searched for. */
export interface Goal extends Pick<EncodeOptions, "upperBoundSampleBytes" | "start" | "trace"> {
  readonly format: WritableFormat;
  readonly settings: EncodeSettings;
  readonly targetScore: number;
  readonly patience: Patience;
  /** What a result competes with: of one that is plainly larger nothing is made. */
  readonly upperBoundBytes: number;
  /** The best result so far is kept while another is made; otherwise the first that reaches the target score is taken. */
  readonly keepsResults: boolean;
  /** The whole picture is tried as it is written to stay, in several scans where it may have them. */
  readonly triesFinal: boolean;
  /**
   * Told where a file without loss may be the best, with what the sample takes otherwise, `Infinity` where none looks as promised;
   * absent: none will be tried.
   */
  readonly seekExact?: ((sampleBytes: number) => void) | undefined;
}

/** A search under way. */
export interface Search extends Goal {
  readonly reference: Reference;
  readonly scale: Scale;
  /** What says how renditions of the sample look, and of the whole. */
  readonly onSample: Judge;
  readonly onWhole: Judge;
  /** What is known of the sample by its losses, where more lenient searches of the same picture go before. */
  readonly probes?: Map<string, ProbeAt>;
  /** Bytes of the least file of such a search. */
  readonly leastBytes?: number;
  readonly timeSlice: TimeSlice;
}

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
