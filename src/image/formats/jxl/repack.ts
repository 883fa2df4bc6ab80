/** JPEG files as JPEG XL, of which any decoder can make the same file again: boxes around what libjxl makes of one. */
import type { Estimate } from "../../../../wasm/estimate.ts";
import { pack, type Packable, packEstimate } from "../../../../wasm/jxl-encode/packer.ts";
import { zlib } from "../../../../wasm/zlib.ts";
import { joined } from "../../../joined.ts";
import type { TimeSlice } from "../../../scheduler/time-slice.ts";
import type { Facts, Repacker } from "../../codec/format.ts";
import { guardedAsync } from "../../codec/guard.ts";
import { box } from "../heif/boxes.ts";
import { jpeg } from "../jpeg.ts";
import { START } from "./container.ts";
import { tooLarge } from "./encode.ts";

/** A segment of a JPEG file is no longer: what is, was put together of several, and is left as it is. */
const MAX_COMPRESSED_BYTES = 65_536;
/** Two milliseconds for a segment. */
const BROTLI_LEVEL = 5;
/** Coefficients for each pixel. */
const SAMPLES: Readonly<Record<string, number>> = { "4:4:4": 3, "4:2:2": 2, "4:4:0": 2 };
const HALVED_SAMPLES = 1.5;

function shapeOf(bytes: Uint8Array, { width, height, colorspace, subsample }: Facts): Packable {
  const samples = colorspace === "Gray" ? 1 : (SAMPLES[subsample] ?? HALVED_SAMPLES);
  return { bytes: bytes.length, width, height, samples };
}

const estimate = (bytes: Uint8Array, facts: Facts): Estimate => packEstimate(shapeOf(bytes, facts));

/** Null for files of inks, of 12 bits, and others that JPEG XL has no place for. */
async function run(bytes: Uint8Array, facts: Facts, timeSlice: TimeSlice): Promise<Uint8Array | null> {
  const shape = shapeOf(bytes, facts);
  const packed = await guardedAsync(() => pack(bytes, shape, facts.orientation, timeSlice), tooLarge);
  if (!packed) return null;
  const { codestream, rest, exif, xmp } = packed;
  return joined([
    START,
    box("jbrd", rest),
    // Where its TIFF header begins behind this number.
    ...(exif.length > 0 ? [smaller("Exif", joined([new Uint8Array(4), exif]))] : []),
    ...(xmp.length > 0 ? [smaller("xml ", xmp)] : []),
    box("jxlc", ...codestream),
  ]);
}

/** A box as it is, or compressed where that is smaller. */
function smaller(type: string, content: Uint8Array): Uint8Array {
  const plain = box(type, content);
  if (content.length > MAX_COMPRESSED_BYTES) return plain;
  const { brotliCompressSync, constants } = zlib();
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_LEVEL };
  const packed = box("brob", new TextEncoder().encode(type), brotliCompressSync(content, { params }));
  return packed.length < plain.length ? packed : plain;
}

export const repack: Repacker = { takes: ({ mime }) => mime === jpeg.mime, estimate, run };
