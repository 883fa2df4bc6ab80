// The lossless bitstream (RFC 9649, section 3) is written in two passes over residuals that take the place of the
// pixels: the first counts symbols, the second writes them, so no list of symbols is kept. Matches are found greedily
// through a small hash table (as LZ4 does); predictors are chosen per tile by the size of their residuals.
//
// The functions of libwebp that write prefix codes are private, so this file is compiled in place of vp8l_enc.c and
// contains it.
#include "src/enc/vp8l_enc.c"

#include "breathe.h"
#include "lean.h"
#include "predict.h"
#include "src/dsp/dsp.h"
#include "src/utils/filters_utils.h"

extern int VP8LDistanceToPlaneCode(int xsize, int dist);

#define TABLE_BITS 15
#define LONGEST_MATCH 4096
#define FARTHEST_MATCH ((1 << 20) - 120)
#define GREEN_SYMBOLS (NUM_LITERAL_CODES + NUM_LENGTH_CODES)
#define CODES 5
#define INSIDE_PLACES 32
#define DRAIN_BYTES (1 << 16)
#define BREATH_PIXELS (1 << 16)
// Samples of an alpha channel that are coded in the time of a pixel.
#define SAMPLES_PER_PIXEL 4

// Either 32-bit pixels or 8-bit samples, which count as green.
typedef struct {
  const uint32_t *pixels;
  const uint8_t *samples;
  int width;
  int height;
} Image;

typedef struct {
  uint32_t counts[CODES][GREEN_SYMBOLS];
  uint8_t lengths[CODES][GREEN_SYMBOLS];
  uint16_t codes[CODES][GREEN_SYMBOLS];
  HuffmanTreeCode trees[CODES];
  HuffmanTree pool[3 * GREEN_SYMBOLS];
  HuffmanTreeToken tokens[GREEN_SYMBOLS];
  uint8_t runs[GREEN_SYMBOLS];
  uint32_t table[1 << TABLE_BITS];
  uint64_t extra_bits;
} Coder;

typedef struct {
  VP8LBitWriter bits;
  const WebPPicture *picture;
} Output;

static const int kSymbols[CODES] = {GREEN_SYMBOLS, NUM_LITERAL_CODES, NUM_LITERAL_CODES, NUM_LITERAL_CODES,
                                    NUM_DISTANCE_CODES};

static WEBP_INLINE uint32_t pixel_at(const Image *image, size_t i) {
  return image->pixels != NULL ? image->pixels[i] : (uint32_t)image->samples[i] << 8;
}

static WEBP_INLINE int match_length(const Image *image, size_t at, size_t distance, size_t end) {
  const size_t most = end - at < LONGEST_MATCH ? end - at : LONGEST_MATCH;
  size_t length = 0;
  if (image->pixels != NULL) {
    const uint32_t *const p = image->pixels + at;
    while (length < most && p[length] == p[(ptrdiff_t)length - (ptrdiff_t)distance]) ++length;
  } else {
    const uint8_t *const p = image->samples + at;
    while (length < most && p[length] == p[(ptrdiff_t)length - (ptrdiff_t)distance]) ++length;
  }
  return (int)length;
}

static WEBP_INLINE uint32_t hash_at(const Image *image, size_t i) {
  uint64_t key;
  if (image->pixels != NULL) {
    key = image->pixels[i] * 0x9e3779b1ull + image->pixels[i + 1] * 0x85ebca77ull + image->pixels[i + 2];
  } else {
    memcpy(&key, image->samples + i, sizeof(key));
  }
  return (uint32_t)((key * 0x9e3779b97f4a7c15ull) >> (64 - TABLE_BITS));
}

static WEBP_INLINE void emit_literal(Coder *coder, VP8LBitWriter *bits, uint32_t pixel) {
  const int symbols[4] = {(pixel >> 8) & 255, (pixel >> 16) & 255, pixel & 255, pixel >> 24};
  for (int k = 0; k < 4; ++k) {
    if (bits == NULL) ++coder->counts[k][symbols[k]];
    else WriteHuffmanCode(bits, &coder->trees[k], symbols[k]);
  }
}

static void emit_prefixed(Coder *coder, VP8LBitWriter *bits, int tree, int first, int value) {
  int code, extra, rest;
  VP8LPrefixEncode(value, &code, &extra, &rest);
  if (bits == NULL) {
    ++coder->counts[tree][first + code];
    coder->extra_bits += extra;
  } else {
    WriteHuffmanCode(bits, &coder->trees[tree], first + code);
    VP8LPutBits(bits, rest, extra);
  }
}

// The longest match among: the pixel before, the pixel above, the last place with the same next pixels.
static WEBP_INLINE int find_match(Coder *coder, const Image *image, size_t at, size_t end, size_t *distance) {
  const size_t width = image->width;
  const int needed = image->pixels != NULL ? 3 : 8;
  int best = needed - 1;
  if (at >= 1) {
    const int length = match_length(image, at, 1, end);
    if (length > best) best = length, *distance = 1;
  }
  if (at >= width && best < 64) {
    const int length = match_length(image, at, width, end);
    if (length > best) best = length, *distance = width;
  }
  if (at + 8 <= end) {
    uint32_t *const slot = &coder->table[hash_at(image, at)];
    // Places are stored plus one; 0 is an empty slot.
    const size_t place = *slot;
    *slot = (uint32_t)(at + 1);
    if (place != 0 && at + 1 - place <= FARTHEST_MATCH && best < 64) {
      const int length = match_length(image, at, at + 1 - place, end);
      if (length > best + 2) best = length, *distance = at + 1 - place;
    }
  }
  return best >= needed && *distance <= FARTHEST_MATCH ? best : 0;
}

static int drain(Output *output) {
  VP8LBitWriter *const bits = &output->bits;
  const size_t size = bits->cur - bits->buf;
  if (bits->error) return 0;
  if (output->picture == NULL || size < DRAIN_BYTES) return 1;
  bits->cur = bits->buf;
  return output->picture->writer(bits->buf, size, output->picture);
}

// Goes over the image once: counts its symbols when `output` is NULL, otherwise writes them.
static int code_symbols(Coder *coder, const Image *image, Output *output) {
  const size_t end = (size_t)image->width * image->height;
  VP8LBitWriter *const bits = output == NULL ? NULL : &output->bits;
  size_t breathed = 0;
  memset(coder->table, 0, sizeof(coder->table));
  for (size_t at = 0; at < end;) {
    size_t distance = 0;
    if (at - breathed >= BREATH_PIXELS) {
      breathe((int)(at - breathed) / (image->pixels != NULL ? 1 : SAMPLES_PER_PIXEL));
      breathed = at;
    }
    const int length = find_match(coder, image, at, end, &distance);
    if (length == 0) {
      emit_literal(coder, bits, pixel_at(image, at));
      ++at;
    } else {
      emit_prefixed(coder, bits, 0, NUM_LITERAL_CODES, length);
      emit_prefixed(coder, bits, 4, 0, VP8LDistanceToPlaneCode(image->width, (int)distance));
      // Places inside a match can begin another; those in long ones are like each other.
      for (size_t inside = at + 1; inside < at + length && inside < at + INSIDE_PLACES && inside + 8 <= end; ++inside) {
        coder->table[hash_at(image, inside)] = (uint32_t)(inside + 1);
      }
      at += length;
    }
    if (output != NULL && !drain(output)) return 0;
  }
  return 1;
}

// Counts the symbols of an image and makes prefix codes for them. Returns the number of bits that they will take.
static uint64_t count_codes(Coder *coder, const Image *image) {
  uint64_t size;
  memset(coder->counts, 0, sizeof(coder->counts));
  memset(coder->lengths, 0, sizeof(coder->lengths));
  memset(coder->codes, 0, sizeof(coder->codes));
  coder->extra_bits = 0;
  code_symbols(coder, image, NULL);
  size = coder->extra_bits;
  for (int k = 0; k < CODES; ++k) {
    HuffmanTreeCode *const tree = &coder->trees[k];
    uint32_t histogram[GREEN_SYMBOLS];
    tree->num_symbols = kSymbols[k];
    tree->code_lengths = coder->lengths[k];
    tree->codes = coder->codes[k];
    // Building the tree smooths the counts in place.
    memcpy(histogram, coder->counts[k], sizeof(histogram));
    VP8LCreateHuffmanTree(histogram, MAX_ALLOWED_CODE_LENGTH, coder->runs, coder->pool, tree);
    uint64_t total = 0;
    int used = 0;
    for (int symbol = 0; symbol < kSymbols[k]; ++symbol) {
      total += (uint64_t)coder->counts[k][symbol] * tree->code_lengths[symbol];
      used += tree->code_lengths[symbol] != 0;
    }
    // The only symbol of a code takes no bits.
    if (used > 1) size += total;
  }
  return size;
}

static void write_codes(Coder *coder, VP8LBitWriter *bits) {
  for (int k = 0; k < CODES; ++k) {
    StoreHuffmanCode(bits, coder->pool, coder->tokens, &coder->trees[k]);
    ClearHuffmanTreeIfOnlyOneSymbol(&coder->trees[k]);
  }
}

static uint64_t bits_written(const VP8LBitWriter *bits) { return 8 * (uint64_t)(bits->cur - bits->buf) + bits->used; }

//------------------------------------------------------------------------------
// Files

static int write_header(const WebPPicture *picture, size_t size) {
  const size_t padded = size + (size & 1);
  uint8_t header[RIFF_HEADER_SIZE + CHUNK_HEADER_SIZE] = {'R', 'I', 'F', 'F', 0, 0, 0, 0, 'W', 'E',
                                                          'B', 'P', 'V', 'P', '8', 'L', 0, 0, 0, 0};
  PutLE32(header + TAG_SIZE, (uint32_t)(TAG_SIZE + CHUNK_HEADER_SIZE + padded));
  PutLE32(header + RIFF_HEADER_SIZE + TAG_SIZE, (uint32_t)size);
  return picture->writer(header, sizeof(header), picture);
}

// Signature, size, and whether there is alpha.
static void put_header(const WebPPicture *picture, VP8LBitWriter *bits) {
  VP8LPutBits(bits, VP8L_MAGIC_BYTE, 8);
  VP8LPutBits(bits, picture->width - 1, VP8L_IMAGE_SIZE_BITS);
  VP8LPutBits(bits, picture->height - 1, VP8L_IMAGE_SIZE_BITS);
  VP8LPutBits(bits, WebPPictureHasTransparency(picture), 1);
  VP8LPutBits(bits, VP8L_VERSION, VP8L_VERSION_BITS);
}

// Subtracts green and predicts, and says so, unless the pixels as they are have matches that win more.
static int transform(WebPPicture *picture, Coder *coder, uint32_t *modes, uint32_t *rows, Output *output) {
  const int width = picture->width, height = picture->height;
  VP8LBitWriter *const bits = &output->bits;
  const Image pixels = {picture->argb, NULL, width, height};
  const Image predictors = {modes, NULL, VP8LSubSampleSize(width, TILE_BITS), VP8LSubSampleSize(height, TILE_BITS)};
  const double plain = (double)count_codes(coder, &pixels);
  VP8LSubtractGreenFromBlueAndRed(picture->argb, width * height);
  choose_modes(picture->argb, width, height, modes);
  if (plain < residual_bits(picture->argb, width, height, modes)) {
    VP8LAddGreenToBlueAndRed(picture->argb, width * height, picture->argb);
    return 1;
  }
  predict_image(picture->argb, width, height, modes, rows);
  VP8LPutBits(bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, SUBTRACT_GREEN_TRANSFORM, 2);
  VP8LPutBits(bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, PREDICTOR_TRANSFORM, 2);
  VP8LPutBits(bits, TILE_BITS - MIN_TRANSFORM_BITS, NUM_TRANSFORM_BITS);
  VP8LPutBits(bits, 0, 1);  // no color cache
  count_codes(coder, &predictors);
  write_codes(coder, bits);
  return code_symbols(coder, &predictors, output);
}

static int write_pixels(WebPPicture *picture, Coder *coder, uint32_t *modes, uint32_t *rows, Output *output) {
  const Image image = {picture->argb, NULL, picture->width, picture->height};
  VP8LBitWriter *const bits = &output->bits;
  uint64_t data_bits, size;
  put_header(picture, bits);
  if (!transform(picture, coder, modes, rows, output)) return 0;
  VP8LPutBits(bits, !TRANSFORM_PRESENT, 1);
  VP8LPutBits(bits, 0, 1);  // no color cache
  VP8LPutBits(bits, 0, 1);  // one set of prefix codes
  data_bits = count_codes(coder, &image);
  write_codes(coder, bits);
  if (bits->error) return 0;
  size = (bits_written(bits) + data_bits + 7) >> 3;
  if (size > MAX_CHUNK_PAYLOAD || !write_header(picture, (size_t)size)) return 0;
  output->picture = picture;
  if (!code_symbols(coder, &image, output)) return 0;
  VP8LBitWriterFinish(bits);
  if (bits->error || !picture->writer(bits->buf, VP8LBitWriterNumBytes(bits), picture)) return 0;
  return (size & 1) ? picture->writer((const uint8_t *)"", 1, picture) : 1;
}

int lean_lossless(WebPPicture *picture) {
  const size_t tiles =
      (size_t)VP8LSubSampleSize(picture->width, TILE_BITS) * VP8LSubSampleSize(picture->height, TILE_BITS);
  Coder *const coder = (Coder *)WebPSafeMalloc(1, sizeof(*coder));
  uint32_t *const modes = (uint32_t *)WebPSafeMalloc(tiles, sizeof(*modes));
  uint32_t *const rows = (uint32_t *)WebPSafeMalloc(2 * ((uint64_t)picture->width + 1), sizeof(*rows));
  Output output;
  int ok = VP8LBitWriterInit(&output.bits, 4 * DRAIN_BYTES);
  VP8LEncDspInit();
  output.picture = NULL;
  picture->error_code = VP8_ENC_OK;
  ok = ok && coder != NULL && modes != NULL && rows != NULL &&
       write_pixels(picture, coder, modes, rows, &output);
  VP8LBitWriterWipeOut(&output.bits);
  WebPSafeFree(coder);
  WebPSafeFree(modes);
  WebPSafeFree(rows);
  return ok ? 1 : WebPEncodingSetError(picture, VP8_ENC_ERROR_OUT_OF_MEMORY);
}

static void filter_samples(const WebPPicture *picture, WEBP_FILTER_TYPE filter, uint8_t *samples) {
  if (filter == WEBP_FILTER_NONE) {
    WebPCopyPlane(picture->a, picture->a_stride, samples, picture->width, picture->width, picture->height);
  } else {
    WebPFilters[filter](picture->a, picture->width, picture->height, picture->a_stride, samples);
  }
}

static WEBP_FILTER_TYPE best_filter(const WebPPicture *picture, Coder *coder, uint8_t *samples) {
  const Image image = {NULL, samples, picture->width, picture->height};
  WEBP_FILTER_TYPE best = WEBP_FILTER_NONE;
  uint64_t least = UINT64_MAX;
  for (int filter = WEBP_FILTER_NONE; filter < WEBP_FILTER_LAST; ++filter) {
    uint64_t bits;
    filter_samples(picture, (WEBP_FILTER_TYPE)filter, samples);
    bits = count_codes(coder, &image);
    if (bits < least) least = bits, best = (WEBP_FILTER_TYPE)filter;
  }
  return best;
}

// A palette of all 256 samples. It changes nothing, but with it decoders hold 1 byte per pixel and not 4.
static int write_identity_palette(Coder *coder, Output *output) {
  uint32_t differences[256];
  const Image image = {differences, NULL, 256, 1};
  for (int i = 0; i < 256; ++i) differences[i] = i == 0 ? 0 : 1 << 8;
  VP8LPutBits(&output->bits, TRANSFORM_PRESENT, 1);
  VP8LPutBits(&output->bits, COLOR_INDEXING_TRANSFORM, 2);
  VP8LPutBits(&output->bits, 256 - 1, 8);
  VP8LPutBits(&output->bits, 0, 1);  // no color cache
  count_codes(coder, &image);
  write_codes(coder, &output->bits);
  return code_symbols(coder, &image, output);
}

static int write_alpha(VP8Encoder *encoder, Coder *coder, uint8_t *samples, Output *output) {
  const WebPPicture *const picture = encoder->pic;
  const Image image = {NULL, samples, picture->width, picture->height};
  VP8LBitWriter *const bits = &output->bits;
  const WEBP_FILTER_TYPE filter = best_filter(picture, coder, samples);
  filter_samples(picture, filter, samples);
  VP8LPutBits(bits, ALPHA_LOSSLESS_COMPRESSION | (filter << 2), 8);
  if (!write_identity_palette(coder, output)) return 0;
  VP8LPutBits(bits, 0, 3);  // no other transform, no color cache, one set of prefix codes
  count_codes(coder, &image);
  write_codes(coder, bits);
  if (!code_symbols(coder, &image, output)) return 0;
  // The encoder frees the bytes.
  encoder->alpha_data = VP8LBitWriterFinish(bits);
  encoder->alpha_data_size = (uint32_t)VP8LBitWriterNumBytes(bits);
  return !bits->error;
}

int lean_alpha(VP8Encoder *encoder) {
  const WebPPicture *const picture = encoder->pic;
  Coder *const coder = (Coder *)WebPSafeMalloc(1, sizeof(*coder));
  uint8_t *const samples = (uint8_t *)WebPSafeMalloc((uint64_t)picture->width * picture->height, 1);
  Output output = {.picture = NULL};
  int ok = VP8LBitWriterInit(&output.bits, DRAIN_BYTES) && coder != NULL && samples != NULL;
  VP8FiltersInit();
  ok = ok && write_alpha(encoder, coder, samples, &output);
  if (encoder->alpha_data == NULL) VP8LBitWriterWipeOut(&output.bits);
  WebPSafeFree(coder);
  WebPSafeFree(samples);
  return ok ? 1 : WebPEncodingSetError(picture, VP8_ENC_ERROR_OUT_OF_MEMORY);
}
