/** JPEG: libjpeg-turbo's decoder and jpegli's encoder with own kernels, coefficient stores and entropy coder. */
export { blockBytesOf, PHOTOGRAPH_BLOCK_BYTES } from "./blocks.ts";
export { type Region } from "./decoder-handle.ts";
export { decodePrice, openDecoder, type Decoder } from "./decoder.ts";
export { encodePrice, packedLimit } from "./encoder-price.ts";
export { openEncoder, openPlaneEncoder, qualityToDistance, type Encoder, type PlaneEncoder } from "./encoder.ts";
export { type EncoderOptions, type Subsampling } from "./encoder-options.ts";
export { readHeader, type JpegColors, type JpegHeader } from "./header.ts";
export { openPlaneDecoder, planesPrice, type Plane, type PlaneDecoder } from "./plane-decoder.ts";
export { canTurn, recompress, recompressPrice, type Tiles, type Turn } from "./recompress.ts";
