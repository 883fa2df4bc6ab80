/** JPEG: libjpeg-turbo's decoder and jpegli's encoder with own kernels, coefficient stores and entropy coder. */
export { openDecoder, openPlaneDecoder, type Decoder, type Plane, type PlaneDecoder, type Region } from "./decoder.ts";
export {
  openEncoder,
  openPlaneEncoder,
  packedLimit,
  qualityToDistance,
  type Encoder,
  type PlaneEncoder,
  type Subsampling,
} from "./encoder.ts";
export { readHeader, type JpegColors, type JpegHeader } from "./header.ts";
export { decodePeakBytes, encodePeakBytes, planesPeakBytes, recompressPeakBytes } from "./memory.ts";
export { canTurn, recompress, type Tiles, type Turn } from "./recompress.ts";
