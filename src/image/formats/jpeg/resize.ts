/**
 * A JPEG file of a region of another, at another size: every plane goes from the decoder through a resampler of its own
 * to the encoder. Chroma that ends at half the size is decoded for half the size.
 */
import { parallel } from "../../../../wasm/estimate.ts";
import {
  type JpegHeader,
  type PlaneDecoder,
  type PlaneEncoder,
  type Subsampling,
  blockBytesOf,
  openPlaneDecoder,
  openPlaneEncoder,
  planesEstimate,
} from "../../../../wasm/jpeg/jpeg.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Estimated, Resized } from "../../codec/format.ts";
import { guarded, guardedAsync, inPieces } from "../../codec/guard.ts";
import type { EncodeSettings } from "../../codec/writer.ts";
import { type Box, outerBox } from "../../pixels/geometry.ts";
import type { Part, Stopwatch } from "../../pixels/stopwatch.ts";
import { MARGIN, scaleFor } from "./decode.ts";
import { COLOR_LOSS, encoderOptions, fileEstimate, finished, mayNeedColors, tooComplex } from "./encode.ts";
import { SAMPLINGS, damagedScans, textureIn } from "./facts.ts";
import { PlaneStream, type PlaneTask, streamEstimate } from "./plane-stream.ts";

/**
 * Planes of chroma tell at least this part of what pixels made of them would lose: they are a little coarser than
 * those. Where they tell more than this part of what may be lost, pixels have to be seen.
 */
const TOLD_LOSS = 0.4;
/** A plane is measured in squares of two rows, which a smaller transform would not give of each row of MCUs. */
const MEASURED_EIGHTHS = 2;
const NEUTRAL = 128;

interface Job {
  readonly bytes: Uint8Array;
  readonly header: JpegHeader;
  readonly settings: EncodeSettings;
  readonly wanted: Resized;
  readonly stopwatch: Stopwatch | undefined;
}

/**
 * For a file of planes of YCbCr or gray, 8 bits a sample. Null where pixels are to be picked, of which chroma at half
 * the size has none, and where a plane would have to grow: what does not exist as a color is clipped in RGB, but in
 * planes it is there to be enlarged.
 */
export function resizePlanes(job: Job): Estimated<Uint8Array | null> | null {
  const { header, settings, wanted } = job;
  const options = encoderOptions({ ...wanted, texture: textureIn(header, wanted) }, settings);
  const measured = header.colors !== "Gray" && mayNeedColors(wanted, settings);
  const tasks = tasksOf(job, options.subsampling, measured);
  if (wanted.kernel === "nearest" || !hasUsualChroma(header)) return null;
  if (!tasks.every((task) => shrinks(task, options.subsampling))) return null;
  const eighths = tasks.map((task) => task.eighths);
  const estimate = parallel(
    planesEstimate(header, eighths, wanted.box.width),
    ...tasks.map((task) => streamEstimate(task, wanted)),
    fileEstimate(options),
  );
  const limit = measured ? lossLimit(tasks) : Infinity;
  return {
    estimate,
    run: (timeSlice) =>
      guardedAsync(async () => {
        const region = outerBox(wanted.box, header);
        const clock = clockOf(job.stopwatch, timeSlice);
        const reading = { eighths, region, blockBytes: blockBytesOf(header) };
        const decoder = await clock("decode", () => inPieces(openPlaneDecoder(job.bytes, reading), timeSlice));
        try {
          const encoder = openPlaneEncoder(options);
          try {
            const moving = { wanted, tasks, decoder, encoder, limit, clock, timeSlice, ms: estimate.ms };
            return await moved(moving);
          } finally {
            encoder.close();
          }
        } finally {
          decoder.close();
        }
      }, damagedScans),
  };
}

type Clock = <Result>(part: Part, work: () => Promise<Result>) => Promise<Result>;

function clockOf(stopwatch: Stopwatch | undefined, timeSlice: TimeSlice): Clock {
  return (part, work) => (stopwatch ? stopwatch.run(part, timeSlice, work) : work());
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

/**
 * The loss that planes may tell: neighbors in them lie closer than pixels of the result, and differ less by as much.
 */
function lossLimit([, chroma]: readonly PlaneTask[]): number {
  const { stepX = 2, stepY = 2 } = chroma ?? {};
  const samplesPerPixel = Math.max(stepX, stepY) / 2;
  return (TOLD_LOSS * COLOR_LOSS) / samplesPerPixel ** 2;
}

/** Planes that are on their way from a decoder to an encoder. */
interface Moving {
  readonly wanted: Resized;
  readonly tasks: readonly PlaneTask[];
  readonly decoder: PlaneDecoder;
  readonly encoder: PlaneEncoder;
  /** How much of the colors may be lost. */
  readonly limit: number;
  readonly clock: Clock;
  readonly timeSlice: TimeSlice;
  /** Milliseconds that all of it takes. */
  readonly ms: number;
}

/** Null when more of the colors may be lost than the limit. */
async function moved(moving: Moving): Promise<Uint8Array | null> {
  const { wanted, tasks, decoder, encoder, limit, clock, timeSlice, ms } = moving;
  const units = Math.ceil(wanted.height / (encoder.planes[0]?.rows ?? 1));
  const streams: PlaneStream[] = [];
  try {
    for (const [index, { stride, rows }] of encoder.planes.entries()) {
      const task = tasks[index];
      const source = decoder.planes[index];
      if (task && source) streams.push(new PlaneStream(task, wanted, source, stride, rows * units));
      else encoder.put(index, 0, new Uint8Array(rows * stride).fill(NEUTRAL));
    }
    for (let unit = 0; unit < units; unit++) {
      for (const [index, stream] of streams.entries()) await fillUnit(moving, streams, stream, index);
      if (decoder.colorLoss() > limit) return null;
      await clock("encode", async () => guarded(() => encoder.write(), tooComplex));
      await timeSlice.spend(ms / units);
    }
    return await clock("encode", () => finished(encoder, timeSlice));
  } finally {
    for (const stream of streams) stream.close();
  }
}

/** Fills the plane of a row of MCUs from its stream, which is fed, as all are, where it runs dry. */
async function fillUnit(
  { decoder, encoder, clock }: Moving,
  streams: readonly PlaneStream[],
  stream: PlaneStream,
  index: number,
): Promise<void> {
  const { stride, rows } = encoder.planes[index]!;
  for (let done = 0; done < rows;) {
    const count = await clock("operations", async () => {
      const result = stream.read(rows - done);
      encoder.put(index, done, result);
      return result.length / stride;
    });
    done += count;
    if (count === 0) await feed(decoder, streams, clock);
  }
}

/** The planes of the next band stay valid: nothing pauses between its decoding and its use. */
async function feed(decoder: PlaneDecoder, streams: readonly PlaneStream[], clock: Clock): Promise<void> {
  const bands = await clock("decode", async () => decoder.read());
  if (!bands) throw new Error("the planes ended before the picture");
  await clock("operations", async () => {
    for (const [index, stream] of streams.entries()) stream.write(bands[index]!);
  });
}
