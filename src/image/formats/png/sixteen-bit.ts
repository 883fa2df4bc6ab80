/** Writes still pictures of 16 bits a sample. */
import { NO_WORK, type Estimate, estimated, serial, times } from "../../../../wasm/estimate.ts";
import { COLOR_TYPE, type ColorType } from "../../../../wasm/pixels/png-header.ts";
import { type FilterStrategy, pngWriterBytes } from "../../../../wasm/pixels/png-writer.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import { type Extent, firstFrame, type Picture } from "../../pixels/picture.ts";
import { bytesPerPixel, rowsOver } from "../../pixels/rows.ts";
import { assembleMeanwhile } from "./assemble.ts";
import { compress, compressEstimate, lengthOf, pngBands } from "./compress.ts";
import { FirstRows } from "./first-rows.ts";
import { type Compression, compressionFor, PROBE_LEVEL } from "./levels.ts";

const SIXTEEN_BIT_DEPTH = 16;
/** Filters that are tried: of samples of 16 bits, every other byte of which is mostly noise. */
const SIXTEEN_BIT_STRATEGIES: readonly FilterStrategy[] = ["sum", "none", "paeth", "entropy"];
const SIXTEEN_BIT_PROBE = { level: PROBE_LEVEL, kind: "photograph" } as const satisfies Compression;

/** Pixels of the first rows that filters are tried on, about: 4 MB. */
const SAMPLE_PIXELS = 1 << 19;
/** To see whether a pixel is gray and whether something shows through it. */
const SURVEY_NANOSECONDS = 4;
/** The part of its raw size that a picture takes as a file: nearly all, and for a moment twice. */
const RESULT_RATIO = 1.8;

/** The file of a picture whose rows are 16-bit, pixels exact. */
export async function writeSixteenBit(picture: Picture, effort: number, timeSlice: TimeSlice): Promise<Uint8Array> {
  const { width, height } = picture;
  const { type, sample } = await surveyed(picture, timeSlice);
  const representation = { type, depth: SIXTEEN_BIT_DEPTH };
  const part = {
    width,
    height: sample.length / (width * bytesPerPixel({ sixteenBit: true })),
    opaque: false,
    sixteenBit: true,
  } as const;
  const strategy = await sixteenBitStrategy((tried, compression) => {
    const bands = pngBands(rowsOver(sample, part), timeSlice);
    return compress(
      { representation, strategy: tried, ...compression },
      { ...part, bands, input: "sixteenBit" },
      timeSlice,
    );
  });
  const choice = { representation, strategy, ...compressionFor(width * height * 2, effort) };
  const bands = pngBands(await firstFrame(picture, timeSlice), timeSlice);
  return assembleMeanwhile(choice, { width, height, bands, input: "sixteenBit" }, [], timeSlice);
}

/** The strategy by which what `write` makes of samples of 16 bits is smallest. */
export async function sixteenBitStrategy(
  write: (strategy: FilterStrategy, compression: Compression) => Promise<readonly Uint8Array[]>,
): Promise<FilterStrategy> {
  let best: { readonly strategy: FilterStrategy; readonly length: number } | undefined;
  for (const strategy of SIXTEEN_BIT_STRATEGIES) {
    const length = lengthOf(await write(strategy, SIXTEEN_BIT_PROBE));
    if (!best || length < best.length) best = { strategy, length };
  }
  return best?.strategy ?? "sum";
}

/**
 * The estimate of `sixteenBitStrategy`, and of as many more such files.
 * @param pixels of one try, those of 16 bits counted twice
 * @param source of reading them once
 */
export function sixteenBitStrategyEstimate(pixels: number, source = NO_WORK, more = 0): Estimate {
  const probe = serial(source, compressEstimate({ ...SIXTEEN_BIT_PROBE, strategy: "entropy" }, pixels));
  return times(SIXTEEN_BIT_STRATEGIES.length + more, probe);
}

/** The estimate of `writeSixteenBit`. A pixel is compressed as two of others are. */
export function sixteenBitEstimate({ width, height, opaque }: Extent, effort: number): Estimate {
  const pixels = width * height;
  const sampled = Math.min(pixels, Math.ceil(SAMPLE_PIXELS / width) * width);
  const last = compressionFor(pixels * 2, effort);
  const work = serial(
    estimated(0, pixels, SURVEY_NANOSECONDS),
    sixteenBitStrategyEstimate(sampled * 2),
    compressEstimate({ ...last, strategy: "entropy" }, pixels * 2),
  );
  const raw = pixels * (opaque ? 6 : 8);
  const bytes = Math.ceil(raw * RESULT_RATIO) + sampled * 8 + pngWriterBytes(width * 2, last.level, raw);
  return { bytes, ms: work.ms };
}

/** Which samples a picture needs, and its first rows. */
async function surveyed(
  picture: Picture,
  timeSlice: TimeSlice,
): Promise<{ readonly type: ColorType; readonly sample: Uint8Array }> {
  const { width, height, opaque } = picture;
  const rows = Math.min(height, Math.ceil(SAMPLE_PIXELS / width));
  const sampled = new FirstRows(width * bytesPerPixel({ sixteenBit: true }), rows, height);
  let isGray = true;
  let isOpaque = true;
  for await (const band of pngBands(await firstFrame(picture, timeSlice), timeSlice)) {
    sampled.add(band);
    const samples = new Uint16Array(band.buffer, band.byteOffset, band.length / 2);
    isGray &&= areGray(samples);
    isOpaque &&= opaque || areOpaque(samples);
    await timeSlice.spend((samples.length / 4) * SURVEY_NANOSECONDS * 1e-6);
    if (sampled.isFull && !isGray && isOpaque === opaque) break;
  }
  const sample = sampled.bytes;
  if (isGray) return { type: isOpaque ? COLOR_TYPE.gray : COLOR_TYPE.grayAlpha, sample };
  return { type: isOpaque ? COLOR_TYPE.rgb : COLOR_TYPE.rgba, sample };
}

function areGray(samples: Uint16Array): boolean {
  for (let at = 0; at < samples.length; at += 4) {
    if (samples[at] !== samples[at + 1] || samples[at] !== samples[at + 2]) return false;
  }
  return true;
}

function areOpaque(samples: Uint16Array): boolean {
  for (let at = 3; at < samples.length; at += 4) if (samples[at] !== 65_535) return false;
  return true;
}
