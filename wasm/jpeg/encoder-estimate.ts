/** What encoding a JPEG takes: memory for coefficients, and time by blocks. */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { blockNanoseconds } from "./blocks.ts";
import { type EncoderOptions, FACTORS } from "./encoder-options.ts";
import { writingEstimate } from "./writing.ts";

/** Structures, and what a row of MCUs takes beside its rows. */
const ENCODER_BYTES = 330_000;

type Density = readonly (readonly [quality: number, bytes: number])[];

/**
 * Bytes of packed coefficients per sample, up to a quality, that pictures of more than so many pixels may take. For
 * small ones what noise takes, and half as much again. Of large ones photographs are expected: the sharpest corner of
 * one takes
 * 0.25 at quality 80, 0.32 at 90, 0.42 at 95, 0.84 at 100; whole pictures of 100 megapixels are softer than that.
 */
const DENSITIES: readonly { readonly above: number; readonly bytes: Density }[] = [
  {
    above: 40_000_000,
    bytes: [
      [80, 0.27],
      [90, 0.34],
      [95, 0.45],
      [98, 0.65],
      [100, 0.9],
    ],
  },
  {
    above: 8_000_000,
    bytes: [
      [80, 0.36],
      [90, 0.45],
      [95, 0.6],
      [98, 0.8],
      [100, 1.05],
    ],
  },
  {
    above: 0,
    bytes: [
      [80, 1.0],
      [90, 1.2],
      [95, 1.4],
      [100, 2.1],
    ],
  },
];
/** With full chroma there are more samples of less: 0.25 in place of 0.32. */
const FULL_CHROMA = 0.85;

/**
 * Bytes of coefficients that the encoder may hold. A picture that needs more is refused while it is written: a large
 * one has to be noise for that.
 */
export function packedLimit({ width, height, quality, subsampling = "4:2:0", gray = false }: EncoderOptions): number {
  const [h, v] = gray ? [1, 1] : FACTORS[subsampling];
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  const lines = Math.ceil(height / (8 * v)) * 8 * v;
  const samples = columns * lines * (gray ? 1 : 1 + 2 / (h * v));
  const found = DENSITIES.find(({ above }) => width * height > above);
  const bytes = found?.bytes.find(([limit]) => quality <= limit)?.[1] ?? 2.1;
  return Math.ceil(samples * bytes * (h * v === 1 && !gray ? FULL_CHROMA : 1));
}

/** The estimate of all that is done before the file is written: transforms, and weighing of coefficients. */
export function takingEstimate(options: EncoderOptions): Estimate {
  const { width, profile, fast = false, blockBytes } = options;
  const [h, v] = factorsOf(options);
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  // Where chroma is halved here it is kept apart, in less than jpegli would take for it.
  const fixed = ENCODER_BYTES + columns * (480 + 620 * v) + (profile?.length ?? 0);
  const nanoseconds = blockNanoseconds(fast ? "round" : "weigh", blockBytes);
  return estimated(fixed + packedLimit(options), blocksOf(options), nanoseconds);
}

/** The estimate of encoding: rows as 32-bit numbers, packed coefficients. The file itself comes to the caller. */
export function encodeEstimate(options: EncoderOptions): Estimate {
  const { gray = false, progressive = false, blockBytes } = options;
  return parallel(
    takingEstimate(options),
    writingEstimate({ blocks: blocksOf(options), blockBytes, components: gray ? 1 : 3, progressive }),
  );
}

function factorsOf({ subsampling = "4:2:0", gray = false }: EncoderOptions): readonly [h: number, v: number] {
  return gray ? [1, 1] : FACTORS[subsampling];
}

function blocksOf(options: EncoderOptions): number {
  const [h, v] = factorsOf(options);
  const chroma = options.gray ? 0 : 2 / (h * v);
  return Math.ceil(options.width / (8 * h)) * h * Math.ceil(options.height / (8 * v)) * v * (1 + chroma);
}
