/** JPEG XL by libjxl: what codestreams say, their frames as rows, and JPEG files that were packed. */
import { parallel, type Estimate, estimated } from "../estimate.ts";
import { fuelFor } from "../fuel/fuel.ts";
import { LoneJob } from "../handle.ts";
import type { ArgumentsOf, ResultOf } from "../instance.ts";
import { allocated, heapOf, native } from "../load.ts";
import { Numbered } from "../numbered.ts";
import type { Turns } from "../pausing.ts";
import type { JxlDecodeExports } from "./exports.ts";
import { type CodestreamFacts, FACT_COUNT, factsFrom } from "./facts.ts";
import module from "./jxl-decode.wasm";

/** Linear memory that the idle instance may keep: what a photograph of 12 megapixels takes. */
const KEEP_BYTES = 56 << 20;

/** Bytes in as many pieces as a file has them in. */
export interface Source {
  readonly length: number;
  /** Copies what begins at `from`, as much as `target` holds. */
  readonly copy: (target: Uint8Array, from: number) => void;
}

/** The files of open jobs, by the number under which C asks for their bytes. */
const sources = new Numbered<Source>();

const jxl = native<JxlDecodeExports>(module, {
  name: "jxl-decode",
  keepBytes: KEEP_BYTES,
  imports: (instance) => ({
    pull(source = 0, from = 0, to = 0, length = 0) {
      sources.get(instance.exports, source)?.copy(instance.bytes(to, length), from);
    },
  }),
});

/** What reading the headers of a file may take: a profile of some megabytes, and tables of contents. */
const FACTS_ESTIMATE: Estimate = { bytes: 24 << 20, ms: 20 };

/**
 * What a codestream says of its picture.
 * @param mostFrames that are counted; of more it is not known how many there are
 * @throws NativeError when a header is damaged
 */
export function readFacts(source: Source, mostFrames: number): CodestreamFacts {
  const job = new SourceJob(source, FACTS_ESTIMATE);
  try {
    const facts = allocated(job.call((exports, number) => exports.facts_open(number, source.length, mostFrames)));
    const address = job.call((exports) => exports.facts_numbers(facts));
    const numbers = new Float64Array(job.bytes(address, FACT_COUNT * Float64Array.BYTES_PER_ELEMENT).slice().buffer);
    const told = factsFrom(numbers, (at, length) => job.bytes(at, length).slice());
    job.call((exports) => exports.facts_close(facts));
    return told;
  } finally {
    job.close();
  }
}

/** Memory that is held whatever the picture is and however it is coded; `facts.cc` counts the rest. */
const DECODER_BYTES = 2 << 20;
/** What a pixel takes, and a byte of the file besides. */
const PIXEL_NANOSECONDS = 42;
const BYTE_NANOSECONDS = 10;

/** The estimate of decoding all frames of a codestream. */
export function decodeEstimate(facts: Pick<CodestreamFacts, "decodeBytes" | "pixels" | "codedBytes">): Estimate {
  return parallel(
    estimated(facts.decodeBytes + DECODER_BYTES, facts.pixels, PIXEL_NANOSECONDS),
    estimated(0, facts.codedBytes, BYTE_NANOSECONDS),
  );
}

/** What rows of 16 bits take beyond those of 8 while they wait. */
export function sixteenBitBytes({ waitingPixels }: Pick<CodestreamFacts, "waitingPixels">): number {
  return waitingPixels * 4;
}

/**
 * What pixels become, by the numbers of decode.cc: what is stored; sRGB, where the colors are the codec's own; the
 * curve of sRGB instead of linear light; four inks, 255 being none; colors that inks have on ideal paper.
 */
const OUTPUTS = { stored: 0, srgb: 1, "from-linear": 2, inks: 3, "colors-of-inks": 4 } as const;
export type Output = keyof typeof OUTPUTS;

const STEPS = ["rows", "frame", "frame end", "end"] as const;
/** `rows` may be ready, a frame begins, all its rows are ready, there is no further frame. */
export type Step = (typeof STEPS)[number];

/** Decodes the frames of a codestream. */
export class JxlDecoder {
  private readonly job: SourceJob;
  private readonly rowBytes: number;
  private readonly width: number;
  private readonly pointer: number;

  /**
   * @param isDeep rows are of RGBA16, and not of RGBA8; not with inks
   * @throws NativeError when memory does not suffice
   */
  constructor(source: Source, facts: CodestreamFacts, output: Output, isSixteenBit = false) {
    this.width = facts.width;
    this.rowBytes = facts.width * (isSixteenBit ? 8 : 4);
    const { bytes, ms } = decodeEstimate(facts);
    this.job = new SourceJob(source, { bytes: bytes + (isSixteenBit ? sixteenBitBytes(facts) : 0), ms });
    const { gray, width, height, black = -1 } = facts;
    const open = (exports: JxlDecodeExports, number: number) =>
      exports.decoder_open(
        number,
        source.length,
        OUTPUTS[output],
        gray ? 1 : 0,
        width,
        height,
        black,
        isSixteenBit ? 1 : 0,
      );
    try {
      this.pointer = allocated(this.job.call(open));
    } catch (error) {
      this.job.close();
      throw error;
    }
  }

  /** @throws NativeError when the file is damaged or cut short, or memory does not suffice */
  async next(timeSlice: Turns): Promise<Step> {
    const step = await this.job.callPausing(timeSlice, "decoder_next", this.pointer);
    return STEPS[step] ?? "end";
  }

  /** How long the frame is shown that began last, in ticks of the animation. */
  duration(): number {
    return this.job.call((exports) => exports.decoder_duration(this.pointer));
  }

  /** The next rows that are ready, at most `most`; a view valid until the next call. */
  rows(most: number): Uint8Array | null {
    const count = this.job.call((exports) => exports.decoder_ready(this.pointer, most));
    if (count === 0) return null;
    const address = this.job.call((exports) => exports.decoder_rows(this.pointer, count));
    return this.job.bytes(address, count * this.rowBytes);
  }

  /**
   * Alpha of rows of inks that were ready, from row `y` of the frame on, one byte a pixel; a view valid until the next
   * call.
   */
  alpha(y: number, count: number): Uint8Array {
    const address = this.job.call((exports) => exports.decoder_alpha(this.pointer));
    return this.job.bytes(address + y * this.width, count * this.width);
  }

  /** May be called twice and at any time. */
  close(): void {
    this.job.close((exports) => exports.decoder_close(this.pointer));
  }
}

/** Memory for each pixel of a picture whose JPEG file is made again: its coefficients, and what is known of blocks. */
const ORIGINAL_PIXEL_BYTES = 18;
/** What decoding coefficients takes whatever the picture: tables, codes, and two windows of what was read before. */
const ORIGINAL_BYTES = 16 << 20;

/** The estimate of making a packed JPEG file again. */
export function originalEstimate(facts: Pick<CodestreamFacts, "width" | "height" | "codedBytes">): Estimate {
  const pixels = facts.width * facts.height;
  return estimated(pixels * ORIGINAL_PIXEL_BYTES + 6 * facts.codedBytes + ORIGINAL_BYTES, pixels, PIXEL_NANOSECONDS);
}

/**
 * The JPEG file that was packed into a file, which is given with all its boxes.
 * @throws NativeError when the file was not made of one, or is damaged
 */
export async function readOriginal(source: Source, estimate: Estimate, timeSlice: Turns): Promise<Uint8Array> {
  const job = new SourceJob(source, estimate);
  try {
    const original = allocated(job.call((exports) => exports.original_open()));
    const length = await job.callPausing(timeSlice, "original_read", original, job.number, source.length);
    const address = job.call((exports) => exports.original_bytes(original));
    const bytes = job.bytes(address, length).slice();
    job.call((exports) => exports.original_close(original));
    return bytes;
  } finally {
    job.close();
  }
}

/** A job that has an instance alone, which a refused file takes with it. */
class SourceJob {
  readonly number: number;
  private readonly job: LoneJob<JxlDecodeExports>;

  constructor(source: Source, estimate: Estimate) {
    this.job = new LoneJob(jxl, estimate.bytes, fuelFor(estimate));
    this.number = this.job.call((exports) => sources.add(exports, source));
  }

  call<T>(work: (exports: JxlDecodeExports, number: number) => T): T {
    try {
      return this.job.call((exports) => work(exports, this.number));
    } catch (error) {
      return this.job.refuse(error);
    }
  }

  callPausing<Name extends "decoder_next" | "original_read">(
    timeSlice: Turns,
    name: Name,
    ...args: ArgumentsOf<JxlDecodeExports, Name>
  ): Promise<ResultOf<JxlDecodeExports, Name>> {
    return this.job.callPausing({ timeSlice }, name, ...args).catch((error: unknown) => this.job.refuse(error));
  }

  bytes(address: number, length: number): Uint8Array {
    return this.job.bytes(address, length);
  }

  close(free: (exports: JxlDecodeExports) => void = () => undefined): void {
    this.job.close((exports) => {
      free(exports);
      sources.take(exports, this.number);
    });
  }
}

/** Bytes allocated in the module now, and the most since the last call with `mark`. For tests and benchmarks. */
export function jxlDecodeHeap(mark = false): { readonly used: number; readonly peak: number } {
  return heapOf(jxl, mark);
}
