/** The JPEG file that a JPEG XL file was made of: its coefficients are kept, and how they were written. */
import { originalEstimate, readOriginal } from "../../../../wasm/jxl-decode/decoder.ts";
import type { Unpacker } from "../../codec/format.ts";
import { guardedAsync } from "../../codec/guard.ts";
import { damaged, readContainer } from "./container.ts";
import { sourceOf } from "./facts.ts";

export const unpack: Unpacker = {
  mime: "image/jpeg",
  estimate(bytes, { width, height }) {
    return readContainer(bytes).hasOriginal ? originalEstimate({ width, height, codedBytes: bytes.length }) : null;
  },
  run(bytes, facts, timeSlice) {
    const estimate = originalEstimate({ ...facts, codedBytes: bytes.length });
    return guardedAsync(() => readOriginal(sourceOf([bytes]), estimate, timeSlice), damaged);
  },
};
