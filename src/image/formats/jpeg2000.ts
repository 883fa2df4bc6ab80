/** JPEG 2000 by OpenJPEG, in `wasm/jpeg2000`: JP2 files and bare codestreams in, JP2 files out. */
import { type Facts, format } from "../format.ts";
import { strip } from "./jpeg2000/boxes.ts";
import { open } from "./jpeg2000/decode.ts";
import { encode, encodePeakBytes, tiledStream } from "./jpeg2000/encode.ts";
import { probe } from "./jpeg2000/facts.ts";
import { decodeBytes as decodeBytesOf } from "./jpeg2000/windows.ts";
import { JPEG2000 } from "./optional.ts";

export const jpeg2000 = format({
  ...JPEG2000,
  summary: "JP2 files and bare codestreams in, JP2 files out: with and without loss, alpha kept exactly.",
  can: { alpha: true, animation: false, quality: true, lossless: true, web: false },
  probe,
  decodePeakBytes,
  open,
  encode,
  encodePeakBytes,
  strip,
});

/** Of a result that is not written yet only the size is known, and that it is ours. */
function decodePeakBytes({ width, height, alpha, decodeBytes }: Facts): number {
  if (decodeBytes !== undefined) return decodeBytes;
  return decodeBytesOf(tiledStream({ width, height, opaque: !alpha }), { width, height }, [1, 1]);
}
