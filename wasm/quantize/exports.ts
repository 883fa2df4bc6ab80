/** What this module exports, made from the prototypes of its C by `npm run docs:tables`. */
import type { NativeExports } from "../load.ts";

type Pointer = number;

export interface QuantizeExports extends NativeExports {
  chooser_close(c: Pointer): void;
  /** Begins a choice of the colors of `cells` cells (1 to 256). 0 when memory does not suffice. */
  chooser_open(samples: Pointer, count: number, cuts: Pointer, cells: number): Pointer;
  /** One round of k-means. Returns the mean squared distance of the samples from the colors before it. */
  chooser_refine(c: Pointer): number;
  /**
   * Ends the choice; the colors are the words that come back. `exact`: the samples are the very colors of the picture.
   */
  chooser_settle(c: Pointer, exact: number): Pointer;
  /** The first three coordinates of `count` pixels: what distances of opaque colors depend on. */
  coordinates(pixels: Pointer, count: number, to: Pointer): void;
  /** Counts the first rows of the window. */
  histogram_add(h: Pointer, rows: number): void;
  histogram_close(h: Pointer): void;
  /** How many colors there are besides full transparency, or -1 when they were too many to be told apart. */
  histogram_colors(h: Pointer): number;
  /** For rows of `width` pixels. `sharp`: alpha counts as all or nothing. 0 when memory does not suffice. */
  histogram_open(width: number, sharp: number): Pointer;
  /** How many colors were counted, full transparency apart: as many samples make_cuts writes. */
  histogram_samples(histogram: Pointer): number;
  histogram_transparent(h: Pointer): number;
  histogram_window(h: Pointer): Pointer;
  /**
   * Sorts what was counted into at most `most` (1 to 256) cells. Writes the samples and, for all cells but the first, the
   * cuts; returns how many cells there are, or -1 when memory does not suffice.
   */
  make_cuts(histogram: Pointer, most: number, samples: Pointer, cuts: Pointer): number;
  remapper_close(r: Pointer): void;
  remapper_indices(r: Pointer): Pointer;
  /** Maps the first rows of the window; their indices are at remapper_indices. */
  remapper_map(r: Pointer, rows: number): void;
  /**
   * `strength`: 0 (no dithering) to 1. `coherence`: 0 (always the nearest color) to 1. `sharp`: alpha is all or nothing.
   * `height`: of the frames, if what does not change from one to the next shall keep its indices; 0 for a still picture. 0
   * when memory does not suffice.
   */
  remapper_open(width: number, height: number, sharp: number, strength: number, coherence: number): Pointer;
  /** Replaces the first rows of the window by the colors of their indices. */
  remapper_paint(r: Pointer, rows: number): void;
  remapper_palette(r: Pointer): Pointer;
  /** Begins the next frame. */
  remapper_restart(r: Pointer): void;
  /** Takes over the first `count` colors of the palette. */
  remapper_set(r: Pointer, count: number): void;
  remapper_window(r: Pointer): Pointer;
}
