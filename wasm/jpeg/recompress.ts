/** A smaller file of the same picture, from its coefficients: no pixels, no generation loss by color conversion. */
import { qualityToDistance } from "./encoder.ts";
import type { JpegComponent, JpegHeader } from "./header.ts";
import {
  closeSinks,
  closeSource,
  type JpegExports,
  type JpegInstance,
  jpegModule,
  openSink,
  openSource,
} from "./instance.ts";

/** First transposed, then mirrored left to right, then top to bottom. */
export interface Turn {
  readonly transpose: boolean;
  readonly flipX: boolean;
  readonly flipY: boolean;
}

/** Square tiles of a picture, side by side. */
export interface Tiles {
  /** Pixels; a multiple of 32. */
  readonly side: number;
  /** Tiles in a row of the result; divides their number. */
  readonly across: number;
  /** Where they lie in the picture, multiples of 32; they lie in it entirely. */
  readonly places: readonly { readonly x: number; readonly y: number }[];
}

export interface RecompressOptions {
  /**
   * On the encoder's scale: coefficients are divided by what the encoder would use for that quality, wherever that is
   * coarser than the file. Absent: the coefficients of the result are those of the file.
   */
  readonly quality?: number;
  readonly progressive: boolean;
  /** How the picture is turned; `canTurn` tells whether it can be. As it lies by default. */
  readonly turn?: Turn;
  /** The result is not the picture but tiles of it. */
  readonly tiles?: Tiles;
  /** ICC profile to embed. No other metadata is kept. */
  readonly profile?: Uint8Array;
  /**
   * Coefficients are not held but read twice, or once more for every window of a file of several scans. Takes longer, and
   * little memory, whatever the picture; it cannot be turned.
   */
  readonly streamed?: boolean;
  /** Bytes of coefficients held at a time, for files of several scans; a larger file is read several times. */
  readonly windowBytes?: number;
}

/** Coefficients held at a time, unless the caller says otherwise. */
export const WINDOW_BYTES = 48 << 20;
/** Outputs of a streamed file: one for its head, one for each scan. */
const SINKS = 21;

/**
 * Whether a picture can be turned as a whole: a last MCU that lies partly beyond the edge can only be mirrored to where
 * it would have to be the first.
 */
export function canTurn({ width, height, components }: JpegHeader, { transpose, flipX, flipY }: Turn): boolean {
  const alone = components.length === 1;
  const unit = (factor: (component: JpegComponent) => number) => 8 * (alone ? 1 : Math.max(...components.map(factor)));
  const wholeX = width % unit(({ h }) => h) === 0;
  const wholeY = height % unit(({ v }) => v) === 0;
  return (wholeX || !(transpose ? flipY : flipX)) && (wholeY || !(transpose ? flipX : flipY));
}

/** Throws NativeError when the bytes are damaged or of a kind that has no such coefficients (lossless, 12 bits). */
export function recompress(bytes: Uint8Array, options: RecompressOptions): Uint8Array {
  const { profile, tiles } = options;
  const instance = jpegModule.acquire();
  const sinks = Array.from({ length: options.streamed ? SINKS : 1 }, openSink);
  let pointer = 0;
  try {
    instance.run((exports) => {
      pointer = exports.recompressor_new(sinks[0]!);
      if (profile) {
        instance.bytes(exports.recompressor_profile(pointer, profile.length), profile.length).set(profile);
      }
      if (tiles) placeTiles(instance, pointer, tiles);
      rewrite(exports, pointer, bytes, options);
    });
    return closeSinks(sinks);
  } finally {
    closeSinks(sinks);
    try {
      if (pointer && !instance.broken) instance.run((exports) => exports.recompressor_close(pointer));
    } finally {
      jpegModule.release(instance);
    }
  }
}

function rewrite(exports: JpegExports, pointer: number, bytes: Uint8Array, options: RecompressOptions): void {
  const { quality, progressive, turn, streamed, windowBytes = WINDOW_BYTES } = options;
  const distance = quality === undefined ? 0 : qualityToDistance(quality);
  const flag = progressive ? 1 : 0;
  const read = (source: number, pass: number) =>
    streamed
      ? exports.recompressor_stream(pointer, source, pass, distance, windowBytes, flag)
      : exports.recompressor_read(pointer, source, pass, distance, windowBytes);
  for (let pass = 0, passes = 1; pass < passes; pass++) {
    const source = openSource(bytes);
    try {
      passes = read(source, pass);
    } finally {
      closeSource(source);
    }
  }
  if (streamed) return;
  if (turn) {
    exports.recompressor_turn(pointer, Number(turn.transpose), Number(turn.flipX), Number(turn.flipY));
  }
  exports.recompressor_write(pointer, flag);
}

function placeTiles(instance: JpegInstance, pointer: number, { side, across, places }: Tiles): void {
  const address = instance.exports.recompressor_tiles(pointer, places.length, across, side);
  const numbers = Uint32Array.from(places.flatMap(({ x, y }) => [x, y]));
  instance.bytes(address, numbers.byteLength).set(new Uint8Array(numbers.buffer));
}
