/** JPEG: libjpeg-turbo's decoder and jpegli's encoder with own kernels, coefficient stores and entropy coder. */
export { type Region } from "./decoder-handle.ts";
export { decodePrice, openDecoder, type Decoder } from "./decoder.ts";
export {
  encodePrice,
  openEncoder,
  openPlaneEncoder,
  packedLimit,
  qualityToDistance,
  type Encoder,
  type EncoderOptions,
  type PlaneEncoder,
  type Subsampling,
} from "./encoder.ts";
export { readHeader, type JpegColors, type JpegHeader } from "./header.ts";
export { openPlaneDecoder, planesPrice, type Plane, type PlaneDecoder } from "./plane-decoder.ts";
export { canTurn, recompress, recompressPrice, type Tiles, type Turn } from "./recompress.ts";
