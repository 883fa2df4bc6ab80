// The symbols of the lossless bitstream (RFC 9649, section 3): an image is gone over twice, to count its symbols and to
// write them, so no list of symbols is kept. Matches are found greedily through a small hash table (as LZ4 does).
//
// The functions of libwebp that write prefix codes are private, so this file is compiled in place of vp8l_enc.c and
// contains it.
#include "src/enc/vp8l_enc.c"

#include "breathe.h"
#include "lean-symbols.h"

extern int VP8LDistanceToPlaneCode(int xsize, int dist);

#define LONGEST_MATCH 4096
#define FARTHEST_MATCH ((1 << 20) - 120)
#define INSIDE_PLACES 32
#define BREATH_PIXELS (1 << 16)
// Samples of an alpha channel that are coded in the time of a pixel.
#define SAMPLES_PER_PIXEL 4

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

uint64_t lean_count_codes(Coder *coder, const Image *image) {
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

void lean_write_codes(Coder *coder, VP8LBitWriter *bits) {
  for (int k = 0; k < CODES; ++k) {
    StoreHuffmanCode(bits, coder->pool, coder->tokens, &coder->trees[k]);
    ClearHuffmanTreeIfOnlyOneSymbol(&coder->trees[k]);
  }
}

int lean_write_symbols(Coder *coder, const Image *image, Output *output) { return code_symbols(coder, image, output); }
