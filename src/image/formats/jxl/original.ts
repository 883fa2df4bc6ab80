/** The JPEG file that a JPEG XL file was made of: its coefficients are kept, and how they were written. */
import { originalPrice, readOriginal } from "../../../../wasm/jxl-decode/decoder.ts";
import type { Unpacker } from "../../codec/format.ts";
import { guardedAsync } from "../../codec/guard.ts";
import { damaged, readContainer } from "./container.ts";
import { sourceOf } from "./facts.ts";

export const unpack: Unpacker = {
  mime: "image/jpeg",
  price(bytes, { width, height }) {
    return readContainer(bytes).hasOriginal ? originalPrice({ width, height, codedBytes: bytes.length }) : null;
  },
  run(bytes, facts, breath) {
    const price = originalPrice({ ...facts, codedBytes: bytes.length });
    return guardedAsync(() => readOriginal(sourceOf([bytes]), price, breath), damaged);
  },
};
