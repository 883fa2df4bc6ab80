/**
 * Stands for every format that a deployment leaves out (`[alias]` in wrangler.toml): its files are recognized and
 * refused, and it is none of the formats that can be asked for.
 */
import { ApiError } from "../../errors.ts";
import { type FormatDefinition, format } from "../codec/format.ts";
import { AVIF, HEIC, type Identity, JPEG2000, JXL, MP4, SVG, TIFF } from "./optional.ts";

export const avif = leftOut(AVIF);
export const heic = leftOut(HEIC);
export const jpeg2000 = leftOut(JPEG2000);
export const jxl = leftOut(JXL);
export const mp4 = leftOut(MP4);
export const svg = leftOut(SVG);
export const tiff = leftOut(TIFF);

/** The fonts are left out with the renderer that draws them. */
export const lettering = {
  familyOf(): never {
    throw new ApiError(422, "text cannot be drawn by this deployment");
  },
};

function leftOut(identity: Identity): FormatDefinition {
  const refuse = (): never => {
    throw new ApiError(415, `This deployment does not read ${identity.label}`);
  };
  return format({
    ...identity,
    summary: "Left out of this deployment.",
    can: { alpha: true, animation: false, quality: false, lossless: false, web: false },
    leftOut: true,
    read: { factsOf: refuse, estimate: refuse, open: refuse },
  });
}
