/**
 * Every format, one line each. Detection, the list of output formats, content types and documentation follow.
 * A deployment can leave out those that are imported by a name with a `#`: `[alias]` in wrangler.toml.
 */
import { avif } from "#formats/avif";
import { heic } from "#formats/heic";
import { jpeg2000 } from "#formats/jpeg2000";
import { jxl } from "#formats/jxl";
import { mp4 } from "#formats/mp4";
import { svg } from "#formats/svg";
import { tiff } from "#formats/tiff";

import type { FormatDefinition } from "./codec/format.ts";
import { bmp } from "./formats/bmp.ts";
import { gif } from "./formats/gif.ts";
import { ico } from "./formats/ico.ts";
import { jpeg } from "./formats/jpeg.ts";
import { png } from "./formats/png.ts";
import { psd } from "./formats/psd.ts";
import { webp } from "./formats/webp.ts";

export const FORMATS = {
  jpeg,
  jpeg2000,
  png,
  gif,
  webp,
  avif,
  heic,
  jxl,
  bmp,
  ico,
  tiff,
  psd,
  svg,
  mp4,
} as const satisfies Record<string, FormatDefinition>;

export type FormatName = keyof typeof FORMATS;
