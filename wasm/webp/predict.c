// Spatial prediction for the lean coder, with the predictors of RFC 9649, section 4.1.
#include "predict.h"

#include <math.h>
#include <string.h>

#include "breathe.h"
#include "src/dsp/lossless.h"
#include "src/dsp/lossless_common.h"
#include "src/webp/format_constants.h"

static const int kModes[] = {1, 2, 4, 7, 11, 12, 13};

// Residuals of `count` pixels from x on; as libwebp's decoder, the borders have predictors of their own.
static void predict(int mode, int x, int y, int count, const uint32_t *row, const uint32_t *upper, uint32_t *out) {
  if (x == 0 && count > 0) {
    *out++ = VP8LSubPixels(row[0], y == 0 ? ARGB_BLACK : upper[0]);
    ++x;
    --count;
  }
  if (count > 0) VP8LPredictorsSub[y == 0 ? 1 : mode](row + x, upper + x, count, out);
}

static uint32_t cost_of(const uint32_t *residuals, int count) {
  const uint8_t *const bytes = (const uint8_t *)residuals;
  uint32_t cost = 0;
  for (int i = 0; i < 4 * count; ++i) cost += bytes[i] < 128 ? bytes[i] : 256 - bytes[i];
  return cost;
}

// The predictor with the smallest residuals for a tile, judged on every fourth row.
static uint32_t choose_mode(const uint32_t *argb, int width, int x, int y, int columns, int rows) {
  uint32_t residuals[1 << TILE_BITS];
  uint32_t best_cost = ~0u, best = 0;
  for (size_t k = 0; k < sizeof(kModes) / sizeof(*kModes); ++k) {
    uint32_t cost = 0;
    for (int row = y; row < y + rows; row += 4) {
      const uint32_t *const current = argb + (size_t)row * width;
      predict(kModes[k], x, row, columns, current, current - (row > 0 ? width : 0), residuals);
      cost += cost_of(residuals, columns);
    }
    if (cost < best_cost) best_cost = cost, best = kModes[k];
  }
  return best << 8;
}

void choose_modes(const uint32_t *argb, int width, int height, uint32_t *modes) {
  const int tile = 1 << TILE_BITS;
  for (int y = 0; y < height; y += tile) {
    for (int x = 0; x < width; x += tile) {
      const int columns = width - x < tile ? width - x : tile;
      const int high = height - y < tile ? height - y : tile;
      *modes++ = choose_mode(argb, width, x, y, columns, high);
    }
    breathe(tile * width);
  }
}

double residual_bits(const uint32_t *argb, int width, int height, const uint32_t *modes) {
  const int tile = 1 << TILE_BITS;
  const int across = VP8LSubSampleSize(width, TILE_BITS);
  uint32_t residuals[1 << TILE_BITS];
  uint32_t counts[4][256] = {{0}};
  double bits = 0;
  for (int y = 0; y < height; y += 4) {
    const uint32_t *const current = argb + (size_t)y * width;
    for (int x = 0; x < width; x += tile) {
      const int columns = width - x < tile ? width - x : tile;
      const uint32_t mode = modes[(y >> TILE_BITS) * across + (x >> TILE_BITS)] >> 8;
      predict((int)mode, x, y, columns, current, current - (y > 0 ? width : 0), residuals);
      for (int i = 0; i < columns; ++i) {
        for (int k = 0; k < 4; ++k) ++counts[k][(residuals[i] >> (8 * k)) & 255];
      }
    }
    breathe(width);
  }
  for (int k = 0; k < 4; ++k) {
    double total = 0;
    for (int i = 0; i < 256; ++i) total += counts[k][i];
    for (int i = 0; i < 256; ++i) {
      const double count = counts[k][i];
      if (count > 0) bits += count * log2(total / count);
    }
  }
  return bits * height / ((height + 3) / 4);
}

void predict_image(uint32_t *argb, int width, int height, const uint32_t *modes, uint32_t *rows) {
  const int tile = 1 << TILE_BITS;
  const int across = VP8LSubSampleSize(width, TILE_BITS);
  uint32_t *upper = rows;
  uint32_t *current = rows + width + 1;
  for (int y = 0; y < height; ++y) {
    uint32_t *const swapped = upper;
    upper = current;
    current = swapped;
    // With the first pixel of the next row: it is above and to the right of the last pixel there.
    memcpy(current, argb + (size_t)y * width, (width + (y + 1 < height)) * sizeof(*argb));
    for (int x = 0; x < width; x += tile) {
      const int columns = width - x < tile ? width - x : tile;
      const uint32_t mode = modes[(y >> TILE_BITS) * across + (x >> TILE_BITS)] >> 8;
      predict((int)mode, x, y, columns, current, upper, argb + (size_t)y * width + x);
    }
    if (y % tile == 0) breathe(tile * width / 4);
  }
}
