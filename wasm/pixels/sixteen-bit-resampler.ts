/** Streaming resampling of RGBA16: source rows are pushed, result rows are pulled. */
import { PAGE_BYTES, type Estimate, estimated } from "../estimate.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";
import { KERNELS, type Resampler, type ResamplerOptions } from "./resampler.ts";

interface SixteenBitResamplerOptions extends Pick<
  ResamplerOptions,
  "sourceWidth" | "sourceHeight" | "box" | "width" | "height" | "kernel" | "linear"
> {
  /** Alpha is full everywhere; else it is straight, and pixels are filtered premultiplied. */
  readonly opaque: boolean;
}

const PIXEL_BYTES = 8;
/** Four floats. */
const FILTERED_BYTES = 16;
const LIGHT_BYTES = 4 << 16;

/** @throws NativeError when memory ran out */
export function openSixteenBitResampler(options: SixteenBitResamplerOptions): Resampler {
  const { sourceWidth, sourceHeight, box, width, height, kernel, opaque, linear = false } = options;
  const flags = [opaque ? 0 : 1, linear ? 1 : 0] as const;
  const { x, y, width: boxWidth, height: boxHeight } = box;
  const named = KERNELS.indexOf(kernel);
  const handle = new Handle(
    (exports) =>
      exports.deep_open(sourceWidth, sourceHeight, x, y, boxWidth, boxHeight, width, height, named, ...flags),
    (exports, pointer) => exports.deep_close(pointer),
  );
  const window = handle.call((exports, pointer) => exports.deep_window(pointer));
  const band = handle.call((exports, pointer) => exports.deep_band(pointer));
  return {
    room: () => handle.call((exports, pointer) => exports.deep_room(pointer)),
    write(rows) {
      handle.bytes(window, rows.length).set(rows);
      handle.call((exports, pointer) => exports.deep_commit(pointer, rows.length / (sourceWidth * PIXEL_BYTES)));
    },
    read(max) {
      const rows = handle.call((exports, pointer) => exports.deep_read(pointer, max));
      return handle.bytes(band, rows * width * PIXEL_BYTES);
    },
    close: () => handle.close(),
  };
}

/** Taking a source pixel, and making a result pixel, by `lanczos3`; a tap is a weight times a pixel. */
const NANOSECONDS = { source: 3, tap: 1, result: 8, light: 3, curve: 60 } as const;
const REACH = 6;

/** The estimate of resampling all rows. The arithmetic of bytes is that of `resample-deep.c`. */
export function sixteenBitResamplerEstimate(options: Omit<SixteenBitResamplerOptions, "sourceHeight">): Estimate {
  const { sourceWidth, box, width, height, linear = false } = options;
  const across = REACH * Math.max(1, box.width / width) + 3;
  const down = REACH * Math.max(1, box.height / height) + 3;
  const windows = (sourceWidth + width) * PIXEL_BYTES * WINDOW_ROWS;
  const filtered = (sourceWidth + width * (down + WINDOW_ROWS)) * FILTERED_BYTES;
  const taps = (width * across + height * down) * 4 + (width + height) * 8 + 8 * Math.max(across, down);
  const bytes = windows + filtered + taps + (linear ? LIGHT_BYTES : 0) + PAGE_BYTES;
  const { source, tap, result, light, curve } = NANOSECONDS;
  const taking = sourceWidth * box.height * (source + (linear ? light : 0)) + width * box.height * across * tap;
  const making = width * height * (result + down * tap + (linear ? curve : 0));
  return estimated(bytes, taking + making, 1);
}
