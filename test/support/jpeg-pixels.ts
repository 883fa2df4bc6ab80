/** Whole pictures through the native JPEG module. */
import type { DecoderOptions } from "../../wasm/jpeg/decoder.ts";
import type { EncoderOptions } from "../../wasm/jpeg/encoder-options.ts";
import { openDecoder, openEncoder } from "../../wasm/jpeg/jpeg.ts";
import { atOnce } from "./pieces.ts";
import type { Pixels } from "./rows.ts";

/** All pixels of a file; throws NativeError where the decoder does. */
export function decode(bytes: Uint8Array, options: DecoderOptions = {}): Pixels {
  const decoder = atOnce(openDecoder(bytes, options));
  try {
    const { width, height } = decoder;
    const data = new Uint8Array(width * height * 4);
    let at = 0;
    for (let read = decoder.read(16); read; read = decoder.read(16)) {
      data.set(read, at);
      at += read.length;
    }
    if (at !== data.length) throw new Error("the rows ended early");
    return { width, height, data };
  } finally {
    decoder.close();
  }
}

/** A file of quality 90 unless told otherwise. */
export function encode({ width, height, data }: Pixels, options: Partial<EncoderOptions> = {}): Uint8Array {
  const encoder = openEncoder({ width, height, quality: 90, ...options });
  try {
    encoder.write(data, height);
    return atOnce(encoder.finish());
  } finally {
    encoder.close();
  }
}
