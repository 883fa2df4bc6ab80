/** JPEG: libjpeg-turbo's decoder and jpegli's encoder with own kernels, coefficient stores and entropy coder. */
export { blockBytesOf, PHOTOGRAPH_BLOCK_BYTES } from "./blocks.ts";
export { type Region } from "./decoder-handle.ts";
export { decodeEstimate, openDecoder } from "./decoder.ts";
export { encodeEstimate, packedBytes } from "./encoder-estimate.ts";
export { openEncoder, openPlaneEncoder, qualityToDistance, type Encoder, type PlaneEncoder } from "./encoder.ts";
export { type EncoderOptions, type Subsampling } from "./encoder-options.ts";
export { readHeader, type JpegHeader } from "./header.ts";
export { openPlaneDecoder, planesEstimate, type Plane, type PlaneDecoder } from "./plane-decoder.ts";
export { canTurn, recompress, recompressEstimate } from "./recompress.ts";
