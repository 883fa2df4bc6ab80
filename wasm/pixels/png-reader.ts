/** PNG rows out of a file: decompression, filters and expansion to RGBA. */
import { type Estimate, estimated } from "../estimate.ts";
import { NativeError } from "../load.ts";
import type { Turns } from "../pausing.ts";
import { Handle, WINDOW_ROWS } from "./instance.ts";
import { type PngHeader, SAMPLES } from "./png-header.ts";

/**
 * What rows are given as: RGBA8; of samples of 16 bits also bytes as they are stored, or RGBA16. In the order of
 * png-reader.h.
 */
const FORMS = ["rgba", "stored", "sixteenBit"] as const;
export type PngForm = (typeof FORMS)[number];

export interface PngReaderOptions extends PngHeader {
  /** RGBA of each palette index, or of each gray level of at most 8 bits as it is stored: up to 1024 bytes. */
  readonly table?: Uint8Array;
  /** The stored color that is transparent, for gray of 16 bits and RGB. */
  readonly key?: readonly [red: number, green: number, blue: number];
  /**
   * The value of each sample value in rows: 65,536 entries for 16 bits, of 16 bits where rows are 16-bit, else 256.
   * Gray of at most 8 bits uses `table`.
   */
  readonly levels?: Uint8Array | Uint16Array;
  /** RGBA8 where absent. */
  readonly form?: PngForm;
  /** The next piece of compressed data, at most `max` bytes; null at its end. */
  readonly input: (max: number) => Uint8Array | null;
}

export interface PngReader {
  /** The next rows, at most `max`: in their form, straight alpha; a view valid until the next call; null at the end. */
  read(max: number): Promise<Uint8Array | null>;
  /** Whether 8 bits hold all samples so far exactly. */
  isExact(): boolean;
  close(): void;
}

/** What png_read says when a call was long enough and it wants to be called again. */
const PAUSED = -4;
/** Bytes of an interlaced picture that a call unfilters before it pauses. */
const PASS_BYTES = 1 << 20;
/** Bytes of pixels that a byte of a compressed photograph stands for, where the compressed file is not known. */
const PHOTOGRAPH_RATIO = 2;
/** What it says when it cannot go on. */
const FAILURES: Readonly<Record<number, string>> = {
  [-1]: "the compressed data is damaged",
  [-2]: "the compressed data ends too early",
  [-3]: "a row has a filter that does not exist",
};

/** Decompressing a byte of the file, unfiltering a byte of pixels as they are stored, and expanding a pixel. */
const READ_NANOSECONDS = { coded: 6, stored: 0.6, pixel: 0.5 } as const;

/**
 * `read` throws NativeError when the data is damaged.
 * @throws OutOfMemory
 */
export function openPngReader(options: PngReaderOptions, timeSlice: Turns): PngReader {
  const { width, height, depth, type, interlaced, table, key, levels, form = "rgba", input } = options;
  const handle = new Handle(
    (exports) => exports.png_open(width, height, depth, type, interlaced ? 1 : 0, FORMS.indexOf(form)),
    (exports, pointer) => exports.png_close(pointer),
  );
  const address = (work: "png_table" | "png_levels" | "png_band" | "png_input") =>
    handle.call((exports, pointer) => exports[work](pointer));
  try {
    if (table) handle.bytes(address("png_table"), table.length).set(table);
    if (key) handle.call((exports, pointer) => exports.png_set_key(pointer, ...key));
    if (levels) handle.bytes(address("png_levels"), levels.byteLength).set(bytesOf(levels));
  } catch (error) {
    handle.close();
    throw error;
  }
  const band = address("png_band");
  const stride = { rgba: width * 4, stored: (width * depth * SAMPLES[type]) / 8, sixteenBit: width * 8 }[form];
  let left = height;

  /** Returns how many bytes were fed. */
  function feed(): number {
    const room = handle.call((exports, pointer) => exports.png_room(pointer));
    const to = handle.bytes(address("png_input"), room);
    let filled = 0;
    let last = false;
    while (filled < room && !last) {
      const piece = input(room - filled);
      if (piece) to.set(piece, filled);
      else last = true;
      filled += piece?.length ?? 0;
    }
    handle.call((exports, pointer) => exports.png_feed(pointer, filled, last ? 1 : 0));
    return filled;
  }

  // All passes are read before the first row of an interlaced picture: nobody else declares that meanwhile.
  const passMs = (bytes: number, kind: "coded" | "stored") =>
    interlaced ? estimated(0, bytes, READ_NANOSECONDS[kind]).ms : 0;

  return {
    async read(max) {
      while (left > 0) {
        const rows = handle.call((exports, pointer) => exports.png_read(pointer, max));
        if (rows === PAUSED) {
          await timeSlice.spend(passMs(PASS_BYTES, "stored"));
          continue;
        }
        if (rows < 0) throw new NativeError(FAILURES[rows]);
        left -= rows;
        if (rows > 0) return handle.bytes(band, rows * stride);
        await timeSlice.spend(passMs(feed(), "coded"));
      }
      return null;
    },
    isExact: () => handle.call((exports, pointer) => exports.png_exact(pointer)) === 1,
    close: () => handle.close(),
  };
}

function bytesOf({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

interface PngExtent extends Omit<PngHeader, "type"> {
  /** Bytes of the file; absent: what a photograph takes. */
  readonly codedBytes?: number | undefined;
}

/** The estimate of reading all rows, RGBA8 or 16-bit; `depth` is in bits per pixel here. */
export function pngReaderEstimate(
  { width, height, depth, interlaced, codedBytes }: PngExtent,
  isSixteenBit = false,
): Estimate {
  const rowBytes = Math.ceil((width * depth) / 8) + 8;
  const passes = interlaced ? rowBytes * height + 8 * height : 0;
  const bytes =
    passes + 14 * rowBytes + width * (isSixteenBit ? 8 : 4) * (WINDOW_ROWS + 1) + (isSixteenBit ? 400_000 : 300_000);
  const { coded, stored, pixel } = READ_NANOSECONDS;
  const read = codedBytes ?? (rowBytes * height) / PHOTOGRAPH_RATIO;
  return estimated(bytes, 1, read * coded + height * (rowBytes * stored + width * pixel));
}
