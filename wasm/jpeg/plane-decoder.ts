/** Streaming JPEG decoder: bands of planes as stored, whole or a region, each at full size or an eighth of it. */
import { parallel, held, type Estimate, estimated } from "../estimate.ts";
import type { Pieces } from "../pieces.ts";
import type { Layout } from "./blocks.ts";
import { codedEstimate, DECODER_BYTES, DecoderHandle, FACT, type Region, storeBytes, WHOLE } from "./decoder-handle.ts";

/** One component of a band: `rows` rows of `width` samples, `stride` bytes apart. */
export interface Plane {
  readonly bytes: Uint8Array;
  readonly width: number;
  readonly stride: number;
  readonly rows: number;
}

export interface PlaneDecoderOptions {
  /** For each plane: 1, 2, 4 or 8 eighths of the size at which it is stored; all 8 by default. */
  readonly eighths?: readonly number[];
  /** In pixels of the picture as stored; all of it by default. */
  readonly region?: Region;
  /** Bytes that a block is coded in, by which work is declared; those of a photograph by default. */
  readonly blockBytes?: number;
}

export interface PlaneDecoder {
  /**
   * The part of each plane that is delivered, in samples of it: the MCUs that the region touches. Y, Cb, Cr or Y alone.
   */
  readonly planes: readonly Region[];
  /** The next rows: a row of MCUs, or several of reduced ones; views valid until the next call; null at the end. */
  read(): readonly Plane[] | null;
  /**
   * What the chroma read so far adds to the mean square of the loss that halving it both ways would be to the colors of
   * the region, R - G and B - G, of a sample of it; planes of one row of samples an MCU are not measured.
   */
  colorLoss(): number;
  close(): void;
}

/** Nanoseconds of the inverse transform, for each sample that it makes. */
const SAMPLE_NANOSECONDS = 1;
/** Where the facts of a plane lie among those of a decoder. */
const PLANE = { address: 0, stride: 1, x: 2, y: 3, width: 4, height: 5, rows: 6, size: 7 } as const;

/**
 * Opens a decoder without upsampling and color conversion: YCbCr or gray planes as the inverse transform leaves
 * them. 8-bit YCbCr and gray files only.
 */
export function* openPlaneDecoder(bytes: Uint8Array, options: PlaneDecoderOptions = {}): Pieces<PlaneDecoder> {
  const { eighths = [], region = WHOLE } = options;
  const [y = 8, cb = 8, cr = 8] = eighths;
  const handle = new DecoderHandle(bytes, (exports, pointer) =>
    exports.decoder_start_planes(pointer, y, cb, cr, region.x, region.y, region.width, region.height),
  );
  return yield* handle.prepared(() => planeDecoderOf(handle), options.blockBytes);
}

function planeDecoderOf(handle: DecoderHandle): PlaneDecoder {
  const facts = handle.facts();
  const count = [0, 1, 2].filter((index) => facts[FACT.planes + index * PLANE.size + PLANE.stride]!).length;
  const plane = (current: Uint32Array, index: number, member: number) =>
    current[FACT.planes + index * PLANE.size + member]!;
  return {
    planes: Array.from({ length: count }, (_, index) => ({
      x: plane(facts, index, PLANE.x),
      y: plane(facts, index, PLANE.y),
      width: plane(facts, index, PLANE.width),
      height: plane(facts, index, PLANE.height),
    })),
    read() {
      if (handle.call((exports, pointer) => exports.decoder_read_planes(pointer)) === 0) return null;
      const current = handle.facts();
      return Array.from({ length: count }, (_, index) => {
        const stride = plane(current, index, PLANE.stride);
        const rows = plane(current, index, PLANE.rows);
        const bytes = handle.bytes(plane(current, index, PLANE.address), stride * rows);
        return { bytes, width: plane(current, index, PLANE.width), stride, rows };
      });
    },
    colorLoss: () => handle.call((exports, pointer) => exports.decoder_color_loss(pointer)),
    close: () => handle.close(),
  };
}

/** The estimate of decoding planes, each at its own size, of a region that is `columns` wide. */
export function planesEstimate(header: Layout, eighths: readonly number[], columns = header.width): Estimate {
  const { components, height, multipleScans } = header;
  const maxH = Math.max(...components.map(({ h }) => h));
  const maxV = Math.max(...components.map(({ v }) => v));
  const sizes = components.map((_, index) => eighths[index] ?? 8);
  const least = sizes[0] ?? 8;
  // The region may begin and end within MCUs; of reduced ones, several rows are decoded at a time.
  const units = (Math.ceil(columns / (8 * maxH)) + 1) * (8 / least);
  const planes = components.reduce((sum, { h, v }, index) => sum + units * h * v * (sizes[index] ?? 8) ** 2, 0);
  const samples = components.reduce(
    (sum, { h, v }, index) => sum + (columns * height * h * v * (sizes[index] ?? 8) ** 2) / (maxH * maxV * 64),
    0,
  );
  return parallel(
    held(DECODER_BYTES + planes + (multipleScans ? storeBytes(header, sizes, least) : 0)),
    codedEstimate(header),
    estimated(0, samples, SAMPLE_NANOSECONDS),
  );
}
