/** JPEG 2000 by OpenJPEG, in `wasm/jpeg2000`: JP2 files and bare codestreams in, JP2 files out. */
import { format } from "../format.ts";
import { isCodestream, isJp2 } from "./jpeg2000/boxes.ts";
import { open } from "./jpeg2000/decode.ts";
import { encode, encodePeakBytes } from "./jpeg2000/encode.ts";
import { probe } from "./jpeg2000/facts.ts";

export const jp2 = format({
  summary: "JP2 files and bare codestreams in, JP2 files out: with and without loss, alpha kept exactly.",
  label: "JPEG2000",
  mime: "image/jp2",
  extensions: ["jp2", "j2k", "jpf", "jpx"],
  can: { alpha: true, animation: false, quality: true, lossless: true, web: false },
  signature: (head) => isJp2(head) || isCodestream(head),
  probe,
  decodePeakBytes: ({ decodeBytes = 0 }) => decodeBytes,
  open,
  encode,
  encodePeakBytes,
});
