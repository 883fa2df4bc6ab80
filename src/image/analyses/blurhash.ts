/** A BlurHash: a placeholder of 28 characters. */
import { encode } from "blurhash";
import * as v from "valibot";

import { analysis } from "../steps/analysis.ts";
import { overWhite } from "./over-white.ts";

const COMPONENTS = [4, 3] as const;

export const blurhash = analysis({
  summary: "A BlurHash of 4 × 3 components; what is transparent is white.",
  answer: v.pipe(v.string(), v.regex(/^[0-9A-Za-z#$%*+,\-.:;=?@[\]^_{|}~]{6,}$/)),
  // Twelve waves: more pixels cost time and change nothing that shows.
  side: 64,
  ms: ({ width, height }) => width * height * 1.5e-3,
  of: async (small) => {
    const { buffer, byteOffset, length } = await overWhite(small);
    return encode(new Uint8ClampedArray(buffer, byteOffset, length), small.width, small.height, ...COMPONENTS);
  },
});
