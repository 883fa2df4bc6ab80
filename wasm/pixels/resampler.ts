/** Streaming resampling: source rows are pushed, result rows are pulled. */
import { PAGE_BYTES, type Estimate, estimated } from "../estimate.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";

/** Reconstruction filters, in the order of taps.h. `gaussian` blurs by `sigma` source pixels, whatever the scale. */
export const KERNELS = ["nearest", "linear", "cubic", "mitchell", "lanczos3", "gaussian"] as const;
type ResamplerKernel = (typeof KERNELS)[number];

export interface ResamplerOptions {
  /** The width of the rows that will be written, in pixels. */
  readonly sourceWidth: number;
  readonly sourceHeight: number;
  /** What part of the source becomes the result, in source pixels; fractions allowed. */
  readonly box: { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
  /**
   * No sample of the result is centered beyond this point of the source; those that would be repeat what is there. For
   * a box that goes on beyond its picture, to fill blocks. Nowhere by default.
   */
  readonly last?: { readonly x: number; readonly y: number };
  readonly width: number;
  readonly height: number;
  readonly kernel: ResamplerKernel;
  /** Standard deviation of `gaussian`, in source pixels. */
  readonly sigma?: number;
  /** `rgba`: straight alpha, filtered premultiplied. `opaque`: RGBA whose alpha is 255. `gray`: one byte a pixel. */
  readonly pixels: "rgba" | "opaque" | "gray";
  /** Filter linear light instead of sRGB values. Not for `gray`. */
  readonly linear?: boolean;
}

export interface Resampler {
  /** Source rows that may be written now; 0 when result rows must be read first, or nothing more is needed. */
  room(): number;
  /** Takes whole source rows, at most `room`; `stride` bytes apart, or tightly packed. */
  write(rows: Uint8Array, stride?: number): void;
  /**
   * The next result rows, at most `max`, as far as the source rows allow, none while more are needed; a view valid
   * until the next call.
   */
  read(max: number): Uint8Array;
  close(): void;
}

const CHANNELS = { gray: 1, opaque: 3, rgba: 4 } as const;

/** @throws NativeError when memory ran out */
export function openResampler(options: ResamplerOptions): Resampler {
  const { sourceWidth, sourceHeight, box, width, height, pixels } = options;
  const { last = { x: Infinity, y: Infinity } } = options;
  const kernel = KERNELS.indexOf(options.kernel);
  const handle = new Handle(
    (exports) =>
      exports.resampler_open(
        sourceWidth,
        sourceHeight,
        box.x,
        box.y,
        box.width,
        box.height,
        last.x,
        last.y,
        width,
        height,
        kernel,
        options.sigma ?? 0,
        CHANNELS[pixels],
        options.linear ? 1 : 0,
      ),
    (exports, pointer) => exports.resampler_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.resampler_window(pointer));
  const band = handle.call((exports, pointer) => exports.resampler_band(pointer));
  const pixelBytes = pixels === "gray" ? 1 : 4;
  const rowBytes = sourceWidth * pixelBytes;
  return {
    room: () => handle.call((exports, pointer) => exports.resampler_room(pointer)),
    write(rows, stride = rowBytes) {
      const count = Math.ceil(rows.length / stride);
      if (stride === rowBytes) handle.bytes(window, rows.length).set(rows);
      else {
        const to = handle.bytes(window, count * rowBytes);
        for (let row = 0; row < count; row++)
          to.set(rows.subarray(row * stride, row * stride + rowBytes), row * rowBytes);
      }
      handle.call((exports, pointer) => exports.resampler_commit(pointer, count));
    },
    read(max) {
      const rows = handle.call((exports, pointer) => exports.resampler_read(pointer, max));
      return handle.bytes(band, rows * width * pixelBytes);
    },
    close: () => handle.close(),
  };
}

/** Taking a source pixel, and making a result pixel, by `lanczos3`, the slowest of the filters. */
const NANOSECONDS = {
  gray: { source: 1.2, result: 1.5 },
  opaque: { source: 1.8, result: 2.3 },
  rgba: { source: 4, result: 6 },
  linear: { source: 10, result: 10 },
} as const;

/** Taking a source pixel where blocks of them are averaged first, and then the average of a block. */
const BLOCK_NANOSECONDS = {
  gray: { source: 0.5, block: 5 },
  opaque: { source: 0.7, block: 9 },
  rgba: { source: 1.6, block: 9 },
  linear: { source: 6, block: 9 },
} as const;

/** The estimate of resampling all rows, at most. The arithmetic of bytes is that of resample.c. */
export function resamplerEstimate(
  options: Omit<ResamplerOptions, "linear" | "sourceHeight"> & { readonly linear?: boolean | undefined },
): Estimate {
  const { sourceWidth, box, width, height, kernel, pixels, sigma = 0 } = options;
  const channels = CHANNELS[pixels];
  const reach = kernel === "gaussian" ? 6.6 * sigma : 6 * Math.max(1, box.height / height);
  const boxed = (length: number, size: number) =>
    length / size < 8 ? 1 : Math.min(256, Math.floor(length / size / 4));
  const boxX = boxed(box.width, width);
  const boxY = boxed(box.height, height);
  const rowBytes = (sourceWidth / boxX + 8) * channels * 2;
  const grouped = pixels === "rgba" ? 0 : 8;
  const ringRows = reach / boxY + 6 + WINDOW_ROWS + grouped;
  const tapBytes = (length: number, size: number) => size * (2 * Math.ceil(6 * Math.max(1, length / size)) + 24);
  const pixelBytes = pixels === "gray" ? 1 : 4;
  const windows = (sourceWidth * (WINDOW_ROWS + 8) + width * WINDOW_ROWS) * pixelBytes;
  const taps = tapBytes(box.width, width) + tapBytes(box.height, height);
  const bytes = rowBytes * ringRows + windows + taps + PAGE_BYTES;
  const samples = options.linear ? "linear" : pixels;
  const { result } = NANOSECONDS[samples];
  const ofBlocks = BLOCK_NANOSECONDS[samples].source + BLOCK_NANOSECONDS[samples].block / (boxX * boxY);
  const source = boxX * boxY > 1 ? ofBlocks : NANOSECONDS[samples].source;
  const nanoseconds = sourceWidth * box.height * source + width * height * result;
  return estimated(bytes, nanoseconds, 1);
}
