/** What a JPEG 2000 file says about itself, in the words of the engine. */
import type { Model } from "../../../../wasm/jpeg2000/decoder.ts";
import type { Facts } from "../../codec/format.ts";
import { exifOrientation } from "../../metadata/orientation.ts";
import { type Jp2File, readBoxes } from "./boxes.ts";
import { type Codestream, readCodestream } from "./codestream.ts";
import { layoutOf } from "./layout.ts";
import { estimateQuality } from "./quality.ts";
import { decodeEstimate, halvedBytes } from "./windows.ts";

const COLORSPACES: Readonly<Record<Model, string>> = {
  gray: "Gray",
  rgb: "RGB",
  ycc: "YCbCr",
  cmyk: "CMYK",
  inks: "CMYK",
};

export interface Opened {
  readonly file: Jp2File;
  readonly stream: Codestream;
}

/** @throws ApiError 422 when the file is damaged, cut short or of an unsupported kind */
export function openFile(bytes: Uint8Array): Opened {
  const file = readBoxes(bytes);
  return { file, stream: readCodestream(file.codestream) };
}

export function factsOf(bytes: Uint8Array): Facts {
  const { file, stream } = openFile(bytes);
  const layout = layoutOf(file, stream);
  const { x0, y0, x1, y1 } = stream.image;
  const [stepX, stepY] = layout.step;
  const width = Math.ceil(x1 / stepX) - Math.ceil(x0 / stepX);
  const height = Math.ceil(y1 / stepY) - Math.ceil(y0 / stepY);
  const profile = file.color?.profile;
  const estimate = decodeEstimate(stream, file.codestream.length, { width, height }, layout.step);
  return {
    width,
    height,
    orientation: exifOrientation(file.exif),
    frames: 1,
    loops: 1,
    alpha: layout.alpha !== undefined,
    colorspace: file.palette ? "Palette" : COLORSPACES[layout.model],
    interlaced: stream.progressive && stream.levels > 0,
    subsample: subsampleOf(stream),
    depth: stream.components.reduce((sum, { depth }) => sum + depth, 0),
    quality: estimateQuality(stream, (file.codestream.length * 8) / (width * height)),
    decodeBytes: estimate.bytes,
    decodeMs: estimate.ms,
    halvings: stream.levels,
    halvedBytes: halvedBytes(stream, { width, height }, layout.step),
    ...(profile && { profile }),
  };
}

function subsampleOf({ components: [luma, chroma] }: Codestream): string {
  const names: Readonly<Record<number, string>> = { 21: "4:2:2", 22: "4:2:0", 41: "4:1:1", 42: "4:1:0", 12: "4:4:0" };
  if (!luma || !chroma) return "4:4:4";
  return names[(chroma.stepX / luma.stepX) * 10 + chroma.stepY / luma.stepY] ?? "4:4:4";
}
