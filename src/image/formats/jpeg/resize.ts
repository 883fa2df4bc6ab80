/**
 * A JPEG file of a region of another, at another size: every plane goes from the decoder through a resampler of its own to
 * the encoder. Chroma that ends at half the size is decoded for half the size.
 */
import {
  type JpegHeader,
  openPlaneDecoder,
  openPlaneEncoder,
  type Plane,
  type PlaneDecoder,
  type PlaneEncoder,
  planesPeakBytes,
  type Region,
  type Subsampling,
} from "../../../../wasm/jpeg/jpeg.ts";
import { openResampler, type Resampler, resamplerPeakBytes } from "../../../../wasm/pixels/resampler.ts";
import type { EncodeSettings, Resized, Shortcut } from "../../format.ts";
import { type Box, outerBox } from "../../geometry.ts";
import type { Stopwatch } from "../../stopwatch.ts";
import { MARGIN, scaleFor } from "./decode.ts";
import { COLOR_LOSS, encoderOptions, guardWriting, mayNeedColors, peakBytes } from "./encode.ts";
import { guard, SAMPLINGS } from "./facts.ts";

/**
 * Planes of chroma tell at least this part of what pixels made of them would lose: they are a little coarser than those.
 * Where they tell more than this part of what may be lost, pixels have to be seen.
 */
const TOLD_LOSS = 0.4;
/** A plane is measured in squares of two rows, which a smaller transform would not give of each row of MCUs. */
const MEASURED_EIGHTHS = 2;
const NEUTRAL = 128;
/** Rows of a plane that wait at most until other planes caught up, besides twice what the filter reaches. */
const WAITING_ROWS = 32;

interface Job {
  readonly bytes: Uint8Array;
  readonly header: JpegHeader;
  readonly settings: EncodeSettings;
  readonly wanted: Resized;
  readonly stopwatch: Stopwatch | undefined;
}

/** What becomes of a plane; in samples of it as decoded, or of the result. */
interface PlaneTask {
  /** Of the size at which it is stored, how it is decoded. */
  readonly eighths: number;
  /** What is wanted of it, and the whole samples that this touches. */
  readonly box: Box;
  readonly outer: Region;
  /** Samples as decoded for each sample of the result. */
  readonly stepX: number;
  readonly stepY: number;
}

/**
 * For a file of planes of YCbCr or gray, 8 bits a sample. Null where pixels are to be picked, of which chroma at half the
 * size has none, and where a plane would have to grow: what does not exist as a color is clipped in RGB, but in planes it
 * is there to be enlarged.
 */
export function resizePlanes(job: Job): Shortcut | null {
  const { header, settings, wanted } = job;
  const options = encoderOptions(wanted, settings);
  const measured = header.colors !== "Gray" && mayNeedColors(wanted, settings);
  const tasks = tasksOf(job, options.subsampling, measured);
  if (wanted.kernel === "nearest" || !hasUsualChroma(header)) return null;
  if (!tasks.every((task) => shrinks(task, options.subsampling))) return null;
  const eighths = tasks.map((task) => task.eighths);
  return {
    peakBytes:
      planesPeakBytes(header, eighths, wanted.box.width) +
      tasks.reduce((sum, task) => sum + streamPeakBytes(task, wanted), 0) +
      peakBytes(wanted, { ...settings, subsample: options.subsampling }),
    run: () =>
      guard(() => {
        const decoder = openPlaneDecoder(job.bytes, { eighths, region: outerBox(wanted.box, header) });
        try {
          const encoder = openPlaneEncoder(options);
          try {
            return moved(job, tasks, decoder, encoder, measured ? lossLimit(tasks) : Infinity);
          } finally {
            encoder.close();
          }
        } finally {
          decoder.close();
        }
      }),
  };
}

function tasksOf({ header, wanted }: Job, subsampling: Subsampling, measured: boolean): PlaneTask[] {
  const { components } = header;
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const factors = SAMPLINGS[subsampling] ?? [1, 1];
  return components.map(({ h, v }, index) => {
    const [byX, byY] = index === 0 ? [1, 1] : factors;
    const stored = scaled(wanted.box, h / maxH, v / maxV);
    const size = { width: wanted.width / byX, height: wanted.height / byY };
    const fitting = scaleFor({ box: stored, ...size });
    const eighths = measured ? Math.max(MEASURED_EIGHTHS, fitting) : fitting;
    const box = scaled(stored, eighths / 8, eighths / 8);
    const outer = outerBox(box, {
      width: Math.ceil((header.width * h * eighths) / (maxH * 8)),
      height: Math.ceil((header.height * v * eighths) / (maxV * 8)),
    });
    return { eighths, box, outer, stepX: box.width / size.width, stepY: box.height / size.height };
  });
}

/** Whether both planes of chroma are stored alike, and no finer than luma. */
function hasUsualChroma({ components: [luma, cb, cr] }: JpegHeader): boolean {
  return !luma || !cb || !cr || (cb.h === cr.h && cb.v === cr.v && cb.h <= luma.h && cb.v <= luma.v);
}

/** Full chroma is asked for to be exact: it has to come from more. */
function shrinks({ eighths, stepX, stepY }: PlaneTask, subsampling: Subsampling): boolean {
  return (Math.min(stepX, stepY) * 8) / eighths >= (subsampling === "4:2:0" ? 1 : MARGIN);
}

function scaled({ x, y, width, height }: Box, byX: number, byY: number): Box {
  return { x: x * byX, y: y * byY, width: width * byX, height: height * byY };
}

/** The loss that planes may tell: neighbors in them lie closer than pixels of the result, and differ less by as much. */
function lossLimit([, chroma]: readonly PlaneTask[]): number {
  const { stepX = 2, stepY = 2 } = chroma ?? {};
  const samplesPerPixel = Math.max(stepX, stepY) / 2;
  return (TOLD_LOSS * COLOR_LOSS) / samplesPerPixel ** 2;
}

/** Null when more of the colors may be lost than `limit`. */
function moved(
  { wanted, stopwatch }: Job,
  tasks: readonly PlaneTask[],
  decoder: PlaneDecoder,
  encoder: PlaneEncoder,
  limit: number,
): Uint8Array | null {
  const run: Stopwatch["run"] = (part, work) => (stopwatch ? stopwatch.run(part, work) : work());
  const units = Math.ceil(wanted.height / (encoder.planes[0]?.rows ?? 1));
  const streams: PlaneStream[] = [];
  const feed = () => {
    const bands = run("decode", () => decoder.read());
    if (!bands) throw new Error("the planes ended before the picture");
    run("operations", () => {
      for (const [index, stream] of streams.entries()) stream.write(bands[index]!);
    });
  };
  try {
    for (const [index, { stride, rows }] of encoder.planes.entries()) {
      const task = tasks[index];
      const source = decoder.planes[index];
      if (task && source) streams.push(new PlaneStream(task, wanted, source, stride, rows * units));
      else encoder.put(index, 0, new Uint8Array(rows * stride).fill(NEUTRAL));
    }
    for (let unit = 0; unit < units; unit++) {
      for (const [index, stream] of streams.entries()) {
        const { stride, rows } = encoder.planes[index]!;
        for (let done = 0; done < rows;) {
          const result = run("operations", () => stream.read(rows - done));
          encoder.put(index, done, result);
          done += result.length / stride;
          if (result.length === 0) feed();
        }
      }
      if (decoder.colorLoss() > limit) return null;
      guardWriting(() => encoder.write());
    }
    return guardWriting(() => encoder.finish());
  } finally {
    for (const stream of streams) stream.close();
  }
}

/** One plane on its way: bands as decoded in, rows of the result out, continued beyond the edges up to whole blocks. */
class PlaneStream {
  private readonly resampler: Resampler;
  private readonly outer: Region;
  /** Columns of a band that are not wanted. */
  private readonly left: number;
  /** The row of the plane with which the next band begins. */
  private next: number;
  /** Rows for which there was no room yet. */
  private readonly waiting: Uint8Array[] = [];

  constructor({ box, outer, stepX, stepY }: PlaneTask, wanted: Resized, source: Region, width: number, height: number) {
    this.outer = outer;
    this.left = outer.x - source.x;
    this.next = source.y;
    const [x, y] = [box.x - outer.x, box.y - outer.y];
    this.resampler = openResampler({
      sourceWidth: outer.width,
      sourceHeight: outer.height,
      box: { x, y, width: width * stepX, height: height * stepY },
      // The center of the last pixel, as in a picture whose last pixels are repeated to fill blocks.
      last: {
        x: x + box.width - box.width / wanted.width / 2,
        y: y + box.height - box.height / wanted.height / 2,
      },
      width,
      height,
      kernel: wanted.kernel,
      pixels: "gray",
    });
  }

  write({ bytes, rows, stride }: Plane): void {
    const { y, width, height } = this.outer;
    const end = Math.min(rows, y + height - this.next);
    let row = Math.max(0, y - this.next);
    this.next += rows;
    while (row < end) {
      const room = this.waiting.length > 0 ? 0 : this.resampler.room();
      const count = Math.min(Math.max(1, room), end - row);
      const from = row * stride + this.left;
      const taken = bytes.subarray(from, from + (count - 1) * stride + width);
      if (room > 0) this.resampler.write(taken, stride);
      else this.waiting.push(taken.slice());
      row += count;
    }
  }

  /** At most `max` rows; none when a band is missing. */
  read(max: number): Uint8Array {
    while (this.waiting[0] && this.resampler.room() > 0) {
      this.resampler.write(this.waiting[0]);
      this.waiting.shift();
    }
    return this.resampler.read(max);
  }

  close(): void {
    this.resampler.close();
  }
}

/** Bytes that a plane on its way holds at most. */
function streamPeakBytes({ box, outer, stepX, stepY }: PlaneTask, { kernel }: Resized): number {
  const [width, height] = [box.width / stepX, box.height / stepY].map((samples) => Math.ceil(samples / 16) * 16);
  const result = { width: width ?? 16, height: height ?? 16 };
  const target = { x: 0, y: 0, width: result.width * stepX, height: result.height * stepY };
  const waiting = outer.width * (WAITING_ROWS + 6 * Math.max(1, stepY));
  return waiting + resamplerPeakBytes({ sourceWidth: outer.width, box: target, ...result, kernel, pixels: "gray" });
}
