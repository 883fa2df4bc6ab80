/** One plane of a JPEG picture through a resampler of its own. */
import { parallel, held, type Estimate } from "../../../../wasm/estimate.ts";
import type { Plane, Region } from "../../../../wasm/jpeg/jpeg.ts";
import { openResampler, type Resampler, resamplerEstimate } from "../../../../wasm/pixels/resampler.ts";
import type { Resized } from "../../codec/format.ts";
import type { Box } from "../../pixels/geometry.ts";

/** Rows of a plane that wait at most until other planes caught up, besides twice what the filter reaches. */
const WAITING_ROWS = 32;

/** What becomes of a plane; in samples of it as decoded, or of the result. */
export interface PlaneTask {
  /** Eighths of the stored size at which the plane is decoded. */
  readonly eighths: number;
  /** What is wanted of it, and the whole samples that this touches. */
  readonly box: Box;
  readonly outer: Region;
  /** Samples as decoded for each sample of the result. */
  readonly stepX: number;
  readonly stepY: number;
}

/** One plane on its way: bands as decoded in, rows of the result out, continued beyond the edges up to whole blocks. */
export class PlaneStream {
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

/** The estimate of a plane on its way. */
export function streamEstimate({ box, outer, stepX, stepY }: PlaneTask, { kernel }: Resized): Estimate {
  const [width, height] = [box.width / stepX, box.height / stepY].map((samples) => Math.ceil(samples / 16) * 16);
  const result = { width: width ?? 16, height: height ?? 16 };
  const reached = { x: 0, y: 0, width: result.width * stepX, height: result.height * stepY };
  const waiting = outer.width * (WAITING_ROWS + 6 * Math.max(1, stepY));
  const resampling = { sourceWidth: outer.width, sourceHeight: outer.height, box: reached, ...result };
  return parallel(held(waiting), resamplerEstimate({ ...resampling, kernel, pixels: "gray" }));
}
