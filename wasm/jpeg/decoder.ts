/** Streaming JPEG decoder: bands of rows, or planes as stored, whole or a region, at full size or an eighth of it. */
import { closeSource, jpegModule, openSource, type JpegInstance } from "./instance.ts";

/** In pixels of the scaled picture. */
export interface Region {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DecoderOptions {
  /** Eighths of the size, 1 to 8; 8, the full size, by default. Lossless JPEG is always decoded at full size. */
  readonly eighths?: number;
  /** The whole picture by default. Its pixels are the same as those of a full decode that is cropped later. */
  readonly region?: Region;
  /**
   * `rgba` by default: straight alpha, always 255; CMYK is converted without its profile. `cmyk`: four bytes per pixel
   * as stored, which in a file with an Adobe marker is 255 - ink.
   */
  readonly output?: "rgba" | "cmyk";
}

export interface Decoder {
  readonly width: number;
  readonly height: number;
  /** The next rows, at most `max`, four bytes per pixel; a view valid until the next call; null at the end. */
  read(max: number): Uint8Array | null;
  /** Goes past the next rows, at most `count`, for less than what decoding them takes. */
  skip(count: number): void;
  /** Frees everything. May be called twice and at any time. */
  close(): void;
}

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
}

export interface PlaneDecoder {
  /** The part of each plane that is delivered, in samples of it: the MCUs that the region touches. Y, Cb, Cr or Y alone. */
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

const OUTPUTS = { rgba: 0, cmyk: 1 } as const;
const WHOLE = { x: 0, y: 0, width: 0, height: 0 };
const FACT = { width: 0, height: 1, band: 2, rowBytes: 4, planes: 5, size: 26 } as const;
const PLANE = { address: 0, stride: 1, x: 2, y: 3, width: 4, height: 5, rows: 6, size: 7 } as const;

/** A job in the native module: its handle, its input, and the duty to free both once. */
class DecoderHandle {
  readonly facts: () => Uint32Array;
  private readonly instance: JpegInstance = jpegModule.acquire();
  private readonly source: number;
  private pointer = 0;
  private closed = false;

  constructor(bytes: Uint8Array, start: (exports: JpegInstance["exports"], pointer: number) => void) {
    this.source = openSource(bytes);
    this.facts = () => {
      const { exports } = this.instance;
      return new Uint32Array(exports.memory.buffer, exports.decoder_facts(this.pointer), FACT.size);
    };
    this.call((exports) => {
      this.pointer = exports.decoder_new(this.source);
      start(exports, this.pointer);
    });
  }

  /** Runs native code; whatever it throws, the job is over and freed. */
  call<T>(work: (exports: JpegInstance["exports"], pointer: number) => T): T {
    if (this.closed) throw new Error("the decoder is closed");
    try {
      return this.instance.run((exports) => work(exports, this.pointer));
    } catch (error) {
      this.close();
      throw error;
    }
  }

  bytes(address: number, length: number): Uint8Array {
    return this.instance.bytes(address, length);
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    closeSource(this.source);
    try {
      if (this.pointer && !this.instance.broken) this.instance.run((exports) => exports.decoder_close(this.pointer));
    } finally {
      jpegModule.release(this.instance);
    }
  }
}

/** Throws NativeError when the bytes are damaged, cut short or not supported, here or in a later `read`. */
export function openDecoder(bytes: Uint8Array, options: DecoderOptions = {}): Decoder {
  const { eighths = 8, output = "rgba", region = WHOLE } = options;
  const handle = new DecoderHandle(bytes, (exports, pointer) =>
    exports.decoder_start(pointer, OUTPUTS[output], eighths, region.x, region.y, region.width, region.height),
  );
  const facts = handle.facts();
  const width = facts[FACT.width]!;
  const height = facts[FACT.height]!;
  const band = facts[FACT.band]!;
  const rowBytes = facts[FACT.rowBytes]!;
  return {
    width,
    height,
    read(max) {
      const rows = handle.call((exports, pointer) => exports.decoder_read(pointer, max));
      return rows === 0 ? null : handle.bytes(band, rows * rowBytes);
    },
    skip: (count) => handle.call((exports, pointer) => exports.decoder_skip(pointer, count)),
    close: () => handle.close(),
  };
}

/**
 * Like `openDecoder`, without upsampling and color conversion: YCbCr or gray planes as the inverse transform leaves
 * them. 8-bit YCbCr and gray files only.
 */
export function openPlaneDecoder(bytes: Uint8Array, options: PlaneDecoderOptions = {}): PlaneDecoder {
  const { eighths = [], region = WHOLE } = options;
  const [y = 8, cb = 8, cr = 8] = eighths;
  const handle = new DecoderHandle(bytes, (exports, pointer) =>
    exports.decoder_start_planes(pointer, y, cb, cr, region.x, region.y, region.width, region.height),
  );
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
