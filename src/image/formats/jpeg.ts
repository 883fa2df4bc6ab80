/** JPEG: baseline, progressive, lossless, 8 and 12 bits, by libjpeg-turbo and jpegli in `wasm/jpeg`. */
import { format } from "../codec/format.ts";
import { embedding } from "./embedding.ts";
import { open, estimate as decodeEstimate, scale } from "./jpeg/decode.ts";
import { embed } from "./jpeg/embed.ts";
import { encode, estimate as encodeEstimate } from "./jpeg/encode.ts";
import { factsOf } from "./jpeg/facts.ts";
import { gainMap } from "./jpeg/gain-map.ts";
import { manifest } from "./jpeg/manifest.ts";
import { mark } from "./jpeg/mark.ts";
import { metadata } from "./jpeg/metadata.ts";
import { resize } from "./jpeg/planes.ts";
import { divides, rewrite, rewriteEstimate, turns } from "./jpeg/recompress.ts";
import { strip } from "./jpeg/strip.ts";

export const jpeg = format({
  summary: "Lossy, for photographs; progressive or baseline, without alpha.",
  label: "JPEG",
  mime: "image/jpeg",
  extensions: ["jpg", "jpeg"],
  otherExtensions: ["jpe", "jfif"],
  can: { alpha: false, animation: false, quality: true, lossless: false, web: true, spaces: "any" },
  role: {
    listed: 4,
    tried: 3,
    lastOfDrawings: true,
    everywhere: true,
    draft: { stills: 1 },
    fallback: { stills: 1 },
    oneScan: "baseline-jpeg",
  },
  signature: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
  read: { factsOf, estimate: decodeEstimate, scale, open, showsDamage: true },
  write: embedding(
    {
      estimate: encodeEstimate,
      encode,
      qualities: { step: 0.25, bits: 0.43, fullChroma: 3.3, tilesOfSmall: true },
      variants: [{ subsample: "4:2:0" }, { subsample: "4:4:4" }],
      maxScoredPixels: Infinity,
    },
    embed,
  ),
  recompress: { estimate: rewriteEstimate, run: rewrite },
  coefficients: { divides, turns, estimate: rewriteEstimate, requantize: rewrite, resize },
  mark,
  strip,
  metadata,
  manifest,
  gainMap,
});
