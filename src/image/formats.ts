/** Every format, one line each. Detection, the list of output formats, content types and documentation follow. */
import type { FormatDefinition } from "./format.ts";
import { avif } from "./formats/avif.ts";
import { bmp } from "./formats/bmp.ts";
import { gif } from "./formats/gif.ts";
import { heic } from "./formats/heic.ts";
import { ico } from "./formats/ico.ts";
import { jpeg } from "./formats/jpeg.ts";
import { jpeg2000 } from "./formats/jpeg2000.ts";
import { png } from "./formats/png.ts";
import { psd } from "./formats/psd.ts";
import { svg } from "./formats/svg.ts";
import { tiff } from "./formats/tiff.ts";
import { webp } from "./formats/webp.ts";

export const FORMATS = {
  jpeg,
  jpeg2000,
  png,
  gif,
  webp,
  avif,
  heic,
  bmp,
  ico,
  tiff,
  psd,
  svg,
} as const satisfies Record<string, FormatDefinition>;

export type FormatName = keyof typeof FORMATS;
