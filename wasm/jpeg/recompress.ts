/** A smaller file of the same picture, from its coefficients: no pixels, no generation loss by color conversion. */
import { qualityToDistance } from "./encoder.ts";
import type { JpegComponent, JpegHeader } from "./header.ts";
import { closeSink, closeSource, jpegModule, openSink, openSource } from "./instance.ts";

/** First transposed, then mirrored left to right, then top to bottom. */
export interface Turn {
  readonly transpose: boolean;
  readonly flipX: boolean;
  readonly flipY: boolean;
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
  /** ICC profile to embed. No other metadata is kept. */
  readonly profile?: Uint8Array;
  /** Bytes of coefficients held at a time, for files of several scans; a larger file is read several times. */
  readonly windowBytes?: number;
}

/** Coefficients held at a time, unless the caller says otherwise. */
export const WINDOW_BYTES = 48 << 20;

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
  const { quality, progressive, turn, profile, windowBytes = WINDOW_BYTES } = options;
  const distance = quality === undefined ? 0 : qualityToDistance(quality);
  const instance = jpegModule.acquire();
  const sink = openSink();
  let pointer = 0;
  try {
    instance.run((exports) => {
      pointer = exports.recompressor_new(sink);
      if (profile) {
        instance.bytes(exports.recompressor_profile(pointer, profile.length), profile.length).set(profile);
      }
      for (let pass = 0, passes = 1; pass < passes; pass++) {
        const source = openSource(bytes);
        try {
          passes = exports.recompressor_read(pointer, source, pass, distance, windowBytes);
        } finally {
          closeSource(source);
        }
      }
      if (turn) {
        const [transpose, flipX, flipY] = [turn.transpose, turn.flipX, turn.flipY].map(Number) as [
          number,
          number,
          number,
        ];
        exports.recompressor_turn(pointer, transpose, flipX, flipY);
      }
      exports.recompressor_write(pointer, progressive ? 1 : 0);
    });
    return closeSink(sink);
  } finally {
    closeSink(sink);
    try {
      if (pointer && !instance.broken) instance.run((exports) => exports.recompressor_close(pointer));
    } finally {
      jpegModule.release(instance);
    }
  }
}
