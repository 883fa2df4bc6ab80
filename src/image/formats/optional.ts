/**
 * Formats that a deployment can leave out: what they are called and how they are recognized, apart from their codecs, so
 * that a file in one of them is refused by name where they are not there.
 */
import type { FormatDefinition } from "../codec/format.ts";
import { brandsOf, isCodedAs } from "./heif/brands.ts";
import { isCodestream, isJp2 } from "./jpeg2000/signature.ts";
import * as jxl from "./jxl/signature.ts";
import { isSvg } from "./svg/document.ts";
import { isForeignRaw } from "./tiff/raw.ts";

export type Identity = Pick<FormatDefinition, "label" | "mime" | "extensions" | "otherExtensions" | "signature">;

const HEIC_BRANDS = ["heic", "heix", "heim", "heis", "hevc", "hevx", "hevm", "hevs"];
const AVIF_BRANDS = ["avif", "avis"];

export const HEIC: Identity = {
  label: "HEIC",
  mime: "image/heic",
  extensions: ["heic", "heif"],
  signature: (head) => isCodedAs(head, HEIC_BRANDS, "hvc1"),
};

export const AVIF: Identity = {
  label: "AVIF",
  mime: "image/avif",
  extensions: ["avif"],
  signature: (head) => isCodedAs(head, AVIF_BRANDS, "av01"),
};

/** The brand of films of AV1 (AV1 in ISOBMFF, section 2.1). */
const AV1_BRAND = "av01";

export const MP4: Identity = {
  label: "MP4",
  mime: "video/mp4",
  extensions: ["mp4"],
  otherExtensions: ["m4v"],
  signature: (head) => !AVIF.signature(head) && !HEIC.signature(head) && brandsOf(head).includes(AV1_BRAND),
};

export const JPEG2000: Identity = {
  label: "JPEG2000",
  mime: "image/jp2",
  extensions: ["jp2"],
  otherExtensions: ["j2k", "j2c", "jpc"],
  signature: (head) => isJp2(head) || isCodestream(head),
};

export const JXL: Identity = {
  label: "JXL",
  mime: "image/jxl",
  extensions: ["jxl"],
  signature: (head) => jxl.isCodestream(head) || jxl.isContainer(head),
};

export const SVG: Identity = {
  label: "SVG",
  mime: "image/svg+xml",
  extensions: ["svg"],
  otherExtensions: ["svgz"],
  signature: isSvg,
};

/** Little and big endian; classic and BigTIFF. */
const TIFF_SIGNATURES = ["II*\0", "MM\0*", "II+\0", "MM\0+"];

export const TIFF: Identity = {
  label: "TIFF",
  mime: "image/tiff",
  extensions: ["tif", "tiff"],
  signature: (head) => TIFF_SIGNATURES.includes(String.fromCharCode(...head.subarray(0, 4))) || isForeignRaw(head),
};
