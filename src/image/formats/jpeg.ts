/** JPEG: decoded by libjpeg-turbo, encoded by jpegli, both in `wasm/jpeg`. */
import { format } from "../format.ts";
import { decodePeakBytes, open } from "./jpeg/decode.ts";
import { encode, encodePeakBytes } from "./jpeg/encode.ts";
import { probe } from "./jpeg/facts.ts";
import { isJpeg } from "./jpeg/header.ts";

export const jpeg = format({
  summary: "Baseline, progressive and arithmetic, 8 and 12 bit, gray, YCbCr, RGB, CMYK and YCCK in; YCbCr out.",
  label: "JPEG",
  mime: "image/jpeg",
  extensions: ["jpg", "jpeg"],
  can: { alpha: false, animation: false, quality: true, lossless: false, web: true },
  signature: isJpeg,
  probe,
  decodePeakBytes,
  open,
  encodePeakBytes,
  encode,
});
