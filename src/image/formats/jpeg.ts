/** JPEG: baseline, progressive, lossless, 8 and 12 bits, by libjpeg-turbo and jpegli in `wasm/jpeg`. */
import { format } from "../format.ts";
import { open, peakBytes as decodePeak } from "./jpeg/decode.ts";
import { encode, peakBytes as encodePeak } from "./jpeg/encode.ts";
import { probe } from "./jpeg/facts.ts";
import { mark, markOf } from "./jpeg/mark.ts";
import { reencode } from "./jpeg/planes.ts";
import { peakBytes as recompressPeak, recompress, requantizes, turns } from "./jpeg/recompress.ts";
import { strip } from "./jpeg/strip.ts";

export const jpeg = format({
  summary: "Lossy, for photographs; progressive or baseline, without alpha.",
  label: "JPEG",
  mime: "image/jpeg",
  extensions: ["jpg", "jpeg"],
  otherExtensions: ["jpe", "jfif"],
  can: { alpha: false, animation: false, quality: true, lossless: false, web: true },
  signature: (head) => head[0] === 0xff && head[1] === 0xd8 && head[2] === 0xff,
  probe,
  decodePeakBytes: decodePeak,
  open,
  encodePeakBytes: encodePeak,
  encode,
  reencode,
  subsamplings: ["4:2:0", "4:4:4"],
  qualityStep: 0.25,
  leastQuality: 1,
  recompress: (bytes, _facts, settings) => recompress(bytes, settings),
  requantizes,
  recompressPeakBytes: (bytes, _facts, settings) => recompressPeak(bytes, settings),
  turns,
  strip,
  mark,
  markOf,
});
