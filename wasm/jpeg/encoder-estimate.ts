/** What encoding a JPEG takes: memory for coefficients, and time by blocks. */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { blockNanoseconds } from "./blocks.ts";
import { type EncoderOptions, FACTORS } from "./encoder-options.ts";
import { writingEstimate } from "./writing.ts";

/** Structures, and what a row of MCUs takes beside its rows. */
const ENCODER_BYTES = 330_000;

type Density = readonly (readonly [quality: number, bytes: number])[];

interface Dense {
  /** Pixels that a picture has more than. */
  readonly above: number;
  readonly bytes: Density;
}

/**
 * Bytes of packed coefficients per sample, up to a quality, that photographs and pages take. Whole pictures of 100
 * megapixels are soft, the sharpest corner of one takes 0.25 at quality 80, 0.32 at 90, 0.42 at 95, 0.84 at 100. Small
 * ones are sharper: of photographs, drawings and screens the most that one took at these qualities was 0.26, 0.34, 0.40
 * and 0.78 at 1,200 pixels (of 13), 0.36, 0.47, 0.51 and 1.01 at 600 (of 22), 0.47, 0.60, 0.67 and 1.29 at 200 (of 77).
 */
const DENSITIES: readonly [Dense, ...Dense[]] = [
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
    above: 750_000,
    bytes: [
      [80, 0.42],
      [90, 0.52],
      [95, 0.68],
      [98, 0.9],
      [100, 1.15],
    ],
  },
  {
    above: 0,
    bytes: [
      [80, 0.6],
      [90, 0.75],
      [95, 0.95],
      [100, 1.6],
    ],
  },
];
/** Pictures of up to so many pixels are written whatever they show: they may take what noise takes, and half as much again. */
const ANYTHING_PIXELS = 8_000_000;
const NOISE: Density = [
  [80, 1.0],
  [90, 1.2],
  [95, 1.4],
  [100, 2.1],
];
/** With full chroma there are more samples of less: 0.25 in place of 0.32. */
const FULL_CHROMA = 0.85;

/**
 * Bytes of coefficients that the encoder may hold. A picture that needs more is refused while it is written: a large
 * one has to be noise for that.
 */
export function packedLimit(options: EncoderOptions): number {
  return options.width * options.height > ANYTHING_PIXELS ? packedBytes(options) : packedOf(options, NOISE);
}

/** Bytes of coefficients that the encoder holds of photographs and pages. */
export function packedBytes(options: EncoderOptions): number {
  const { bytes } = DENSITIES.find(({ above }) => options.width * options.height > above) ?? DENSITIES[0];
  return packedOf(options, bytes);
}

function packedOf(options: EncoderOptions, density: Density): number {
  const { width, height, quality, gray = false } = options;
  const [h, v] = factorsOf(options);
  const columns = Math.ceil(width / (8 * h)) * 8 * h;
  const lines = Math.ceil(height / (8 * v)) * 8 * v;
  const samples = columns * lines * (gray ? 1 : 1 + 2 / (h * v));
  const bytes = density.find(([limit]) => quality <= limit)?.[1] ?? 2.1;
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
  return estimated(fixed + packedBytes(options), blocksOf(options), nanoseconds);
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
