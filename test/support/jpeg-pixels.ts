/** Whole pictures through the native JPEG module. */
import type { DecoderOptions } from "../../wasm/jpeg/decoder.ts";
import type { EncoderOptions } from "../../wasm/jpeg/encoder.ts";
import { openDecoder, openEncoder } from "../../wasm/jpeg/jpeg.ts";
import { drain, type Pixels } from "./rows.ts";

/** All pixels of a file; throws NativeError where the decoder does. */
export function decode(bytes: Uint8Array, options: DecoderOptions = {}): Pixels {
  return drain({ ...openDecoder(bytes, options), opaque: true });
}

/** A file of quality 90 unless told otherwise. */
export function encode({ width, height, data }: Pixels, options: Partial<EncoderOptions> = {}): Uint8Array {
  const encoder = openEncoder({ width, height, quality: 90, ...options });
  try {
    encoder.write(data, height);
    return encoder.finish();
  } finally {
    encoder.close();
  }
}
