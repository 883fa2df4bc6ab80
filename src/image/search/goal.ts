/** What a search through pixels is for, and what it goes on with. */
import type { TimeSlice } from "../../scheduler/time-slice.ts";
import type { EncodeSettings, Scale } from "../codec/writer.ts";
import type { Patience } from "./presets.ts";
import type { Judge } from "./probe.ts";
import type { Reference } from "./reference.ts";
import type { Start } from "./rendition.ts";
import type { WritableFormat } from "./task.ts";
import type { Trace } from "./trace.ts";

/** What is searched for. */
export interface Goal {
  readonly format: WritableFormat;
  readonly settings: EncodeSettings;
  readonly targetScore: number;
  readonly patience: Patience;
  /** What a result competes with: of one that is plainly larger nothing is made. */
  readonly upperBoundBytes: number;
  /** About what its format takes for the sample at the target score, where that is known. */
  readonly upperBoundSampleBytes?: number | undefined;
  /** The best result so far is kept while another is made; otherwise the first that reaches the target score is taken. */
  readonly keepsResults: boolean;
  /** The whole picture is tried as it is written to stay, in several scans where it may have them. */
  readonly triesFinal: boolean;
  /**
   * Told where a file without loss may be the best, with what the sample takes otherwise, `Infinity` where none looks as promised;
   * absent: none will be tried.
   */
  readonly seekExact?: ((sampleBytes: number) => void) | undefined;
  /** Where the search in a neighbor of the picture ended. */
  readonly start?: Start | undefined;
  /** Told what is done; absent: nobody asks. */
  readonly trace?: Trace | undefined;
}

/** A search under way. */
export interface Search extends Goal {
  readonly reference: Reference;
  readonly scale: Scale;
  /** What says how renditions of the sample look, and of the whole. */
  readonly onSample: Judge;
  readonly onWhole: Judge;
  readonly timeSlice: TimeSlice;
}
