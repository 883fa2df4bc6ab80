/** File name extensions of the formats, made from their table by `npm run openapi`. */

/** By format, the usual one first. */
export const EXTENSIONS = {
  jpeg: ["jpg", "jpeg"],
  jpeg2000: ["jp2"],
  png: ["png", "apng"],
  gif: ["gif"],
  webp: ["webp"],
  avif: ["avif"],
  heic: ["heic", "heif"],
  jxl: ["jxl"],
  bmp: ["bmp"],
  ico: ["ico"],
  tiff: ["tif", "tiff"],
  psd: ["psd", "psb"],
  svg: ["svg"],
  mp4: ["mp4"],
} as const;

/** What originals may be called besides; results never are. */
export const OTHER_EXTENSIONS = {
  jpeg: ["jpe", "jfif"],
  jpeg2000: ["j2k", "j2c", "jpc"],
  bmp: ["dib"],
  ico: ["cur"],
  svg: ["svgz"],
  mp4: ["m4v"],
} as const;
