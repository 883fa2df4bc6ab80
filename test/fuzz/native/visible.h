// What wasm/score/visible.c computes, worked out the slow way: cell by cell, in double precision, with all errors sorted.
#pragma once

#include <math.h>
#include <stddef.h>
#include <stdint.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <vector>

namespace plain {

enum { CELL = 4, SEAM = 2, WORST_CELLS = 64, BACKGROUNDS = 3 };
inline const int BACKGROUND[BACKGROUNDS][3] = {{255, 255, 255}, {0, 0, 0}, {0, 60, 220}};

// A picture: RGBA8 as large as it is, and opaque or not.
struct Picture {
  const uint8_t *pixels;
  int width, height;
  bool is_opaque;

  // A level on a background; beyond the right and the lower edge the last pixel is repeated.
  int level(int x, int y, int plane, int background) const {
    const uint8_t *pixel = pixels + 4 * ((size_t)std::min(y, height - 1) * width + std::min(x, width - 1));
    if (is_opaque) return pixel[plane];
    const int alpha = pixel[3];
    return (2 * (pixel[plane] * alpha + BACKGROUND[background][plane] * (255 - alpha)) + 255) / 510;
  }
  double luma(int x, int y, int background) const {
    return (5 * level(x, y, 0, background) + 9 * level(x, y, 1, background) + 2 * level(x, y, 2, background)) / 16.0;
  }
};

// What is known of one cell on one background.
struct Cell {
  double detail, grain, even, light, luma, fine, stripes, chroma, bleeding;
};

// What of the error of a primary with such a level is seen in a place of such a brightness: nearly nothing of what is far darker.
inline double seen_in(double bright, double error, double level) {
  const double dark = (level + 8) / (0.375 * (bright + 8));
  return error * std::min(1.0, dark * dark);
}

// The mean of twelve steps of luma, given their sum, as the native code rounds it: to sixteenths of a level.
inline double slope_of(double sum) { return floor((sum * 16 * 2731 + 16384) / 32768) / 16; }

inline Cell cell_of(const Picture &first, const Picture &second, int left, int top, int background, bool is_small) {
  double quarters[4][3] = {{0}}, y[CELL][CELL], steps = 0, bends = 0, even = 0, across = 0, down = 0, light = 0, error = 0, squares = 0, by[3] = {0}, levels[3] = {0};
  for (int row = 0; row < CELL; row++) {
    for (int at = 0; at < CELL; at++) {
      y[row][at] = first.luma(left + at, top + row, background);
      const double apart = second.luma(left + at, top + row, background) - y[row][at];
      light += y[row][at], error += apart, squares += apart * apart;
      double errors[3];
      for (int plane = 0; plane < 3; plane++) {
        const int one = first.level(left + at, top + row, plane, background);
        const int other = second.level(left + at, top + row, plane, background);
        errors[plane] = other - one;
        by[plane] += (other - one) / 16.0, levels[plane] += (other + one) / 32.0;
      }
      const double to_red = errors[0] - errors[1], to_blue = errors[2] - (errors[0] + errors[1]) / 2;
      double *const quarter = quarters[row / 2 * 2 + at / 2];
      quarter[0] += to_red / 4, quarter[1] += to_blue / 4, quarter[2] += apart / 4;
    }
  }
  for (int line = 0; line < CELL; line++) across += y[line][CELL - 1] - y[line][0], down += y[CELL - 1][line] - y[0][line];
  const double right = is_small ? slope_of(across) : 0, below = is_small ? slope_of(down) : 0;
  for (int line = 0; line < CELL; line++) {
    for (int at = 1; at < CELL; at++) {
      steps += fabs(y[line][at] - y[line][at - 1] - right) + fabs(y[at][line] - y[at - 1][line] - below);
      if (at == 1) continue;
      bends += fabs(y[line][at] - 2 * y[line][at - 1] + y[line][at - 2]);
      bends += fabs(y[at][line] - 2 * y[at - 1][line] + y[at - 2][line]);
    }
  }
  for (int row = 0; row < CELL; row += 2)
    for (int at = 0; at < CELL; at += 2) even += fabs(y[row][at] - y[row][at + 1] - y[row + 1][at] + y[row + 1][at + 1]) <= 1;
  const double mean = error / 16, of_red = by[0] - by[1], of_blue = by[2] - (by[0] + by[1]) / 2, unit = 12.0 * 12.0;
  const double bright = sqrt(0.2126 * levels[0] * levels[0] + 0.7152 * levels[1] * levels[1] + 0.0722 * levels[2] * levels[2]);
  const double red = seen_in(bright, by[0], levels[0]), green = seen_in(bright, by[1], levels[1]), blue = seen_in(bright, by[2], levels[2]);
  const double luma = (5 * red + 9 * green + 2 * blue) / 16;
  double colors[3];
  for (int plane = 0; plane < 3; plane++) colors[plane] = seen_in(bright, by[plane], levels[plane] + fabs(by[plane]) / 2);
  const double to_red = colors[0] - colors[1], to_blue = colors[2] - (colors[0] + colors[1]) / 2;
  const double chroma = (0.65 * to_red * to_red + 0.6 * to_blue * to_blue) / unit, all = (0.65 * of_red * of_red + 0.6 * of_blue * of_blue) / unit;
  const double fine = std::max(0.0, squares / 16 - mean * mean) * 0.65;
  double bleeding = 0, stripes = 0;
  for (const auto &quarter : quarters) bleeding += (0.65 * quarter[0] * quarter[0] + 0.6 * quarter[1] * quarter[1]) / unit / 4;
  for (const auto &quarter : quarters) stripes += quarter[2] * quarter[2] / 4;
  stripes = is_small ? std::max(0.0, stripes - mean * mean) : 0;
  bleeding = is_small ? std::max(0.0, bleeding - all) : 0;
  return {steps / 12, bends / 16, even / 4, light / 16 / 255, luma * luma, fine, stripes, chroma, bleeding};
}

inline double seen(double squares, double levels, double bent, double in_slope) {
  const double hidden = in_slope + bent * (levels - in_slope);
  return squares / (hidden * hidden);
}

// Whether a cell counts in one direction: it is none of the two at each seam of its tile. Of a tile that would have none left,
// those in its middle count. 0: one tile.
inline bool counts(int cell, int cells, int tile) {
  if (tile == 0) return true;
  const int start = cell / tile * tile, end = std::min(cells, start + tile), length = end - start;
  int least = start > 0 ? SEAM : 0, most = length - (end < cells ? SEAM : 0);
  while (least >= most) least -= start > 0 && least > 0, most += end < cells && most < length;
  return cell - start >= least && cell - start < most;
}

// The mean of the largest of so many numbers, which are sorted from the largest on; what is missing is 0.
inline double mean_of(const std::vector<double> &errors, size_t count) {
  double sum = 0;
  for (size_t at = 0; at < std::min(count, errors.size()); at++) sum += errors[at];
  return sum / count;
}

// A flat color: its cells, and the sums of what a rendition makes of eight pixels of each.
struct Flat {
  uint32_t cells, sums[3];
};
using Color = std::array<float, 3>;

inline float apart(const Color &one, const Color &other) {
  return std::max({fabsf(one[0] - other[0]), fabsf(one[1] - other[1]), fabsf(one[2] - other[2])});
}

// How far two flat colors are apart, in units of what is seen.
inline double seen_apart(const Color &one, const Color &other) {
  double level[3], error[3], luma[3], color[3];
  for (int plane = 0; plane < 3; plane++) level[plane] = (one[plane] + other[plane]) / 2, error[plane] = other[plane] - one[plane];
  const double bright = sqrt(0.2126 * level[0] * level[0] + 0.7152 * level[1] * level[1] + 0.0722 * level[2] * level[2]);
  for (int plane = 0; plane < 3; plane++) {
    luma[plane] = seen_in(bright, error[plane], level[plane]);
    color[plane] = seen_in(bright, error[plane], level[plane] + fabs(error[plane]) / 2);
  }
  const double of_luma = (5 * luma[0] + 9 * luma[1] + 2 * luma[2]) / 16 / 4;
  const double to_red = color[0] - color[1], to_blue = color[2] - (color[0] + color[1]) / 2;
  return sqrt(of_luma * of_luma + (0.65 * to_red * to_red + 0.6 * to_blue * to_blue) / (12.0 * 12.0));
}

// The farthest that two flat colors were apart which became one: those of four cells and more, none of which is near a third.
inline double merged(const Picture &first, const Picture &second) {
  std::map<uint32_t, Flat> flats;
  const auto offset = [&](int x, int y) { return 4 * ((size_t)std::min(y, first.height - 1) * first.width + std::min(x, first.width - 1)); };
  const auto color_at = [&](int x, int y) {
    const uint8_t *pixel = first.pixels + offset(x, y);
    return pixel[0] | pixel[1] << 8 | pixel[2] << 16 | (uint32_t)pixel[3] << 24;
  };
  for (int top = 0; top < first.height; top += CELL) {
    for (int left = 0; left < first.width; left += CELL) {
      // Two rows beside each other, or else two columns.
      for (int way = 0; way < 2 * (CELL - 1); way++) {
        const int at = way % (CELL - 1), is_column = way >= CELL - 1;
        const auto x = [&](int pixel) { return left + (is_column ? at + pixel % 2 : pixel / 2); };
        const auto y = [&](int pixel) { return top + (is_column ? pixel / 2 : at + pixel % 2); };
        const uint32_t color = color_at(x(0), y(0));
        bool is_flat = true;
        for (int pixel = 0; pixel < 2 * CELL; pixel++) is_flat = is_flat && color_at(x(pixel), y(pixel)) == color;
        if (!is_flat) continue;
        if (color >> 24 != 255) break;
        Flat &flat = flats[color];
        flat.cells++;
        for (int pixel = 0; pixel < 2 * CELL; pixel++)
          for (int plane = 0; plane < 3; plane++) flat.sums[plane] += second.pixels[offset(x(pixel), y(pixel)) + plane];
        break;
      }
    }
  }
  std::vector<Color> all, shown, made;
  for (const auto &[color, flat] : flats) {
    all.push_back({(float)(color & 255), (float)(color >> 8 & 255), (float)(color >> 16 & 255)});
    if (flat.cells < 4) continue;
    const float pixels = (float)flat.cells * 2 * CELL;
    shown.push_back(all.back()), made.push_back({flat.sums[0] / pixels, flat.sums[1] / pixels, flat.sums[2] / pixels});
  }
  const auto is_alone = [&](const Color &color) { return std::count_if(all.begin(), all.end(), [&](const Color &near) { return apart(near, color) <= 4; }) == 1; };
  double most = 0;
  for (size_t one = 0; one < shown.size(); one++) {
    for (size_t other = one + 1; other < shown.size(); other++) {
      const bool is_one = apart(made[one], made[other]) * 4 <= apart(shown[one], shown[other]);
      if (is_one && is_alone(shown[one]) && is_alone(shown[other])) most = std::max(most, seen_apart(shown[one], shown[other]));
    }
  }
  return most * 1.3;
}

inline double difference(const Picture &first, const Picture &second, bool is_small, bool may_stripe, int tile_columns, int tile_rows) {
  const int across = (first.width + CELL - 1) / CELL, down = (first.height + CELL - 1) / CELL;
  std::vector<double> worst((size_t)across * down);
  std::vector<Cell> cells(worst.size());
  for (int background = 0; background < (first.is_opaque ? 1 : BACKGROUNDS); background++) {
    for (int row = 0; row < down; row++)
      for (int at = 0; at < across; at++) cells[row * across + at] = cell_of(first, second, at * CELL, row * CELL, background, is_small);
    for (int row = 0; row < down; row++) {
      for (int at = 0; at < across; at++) {
        const Cell &here = cells[row * across + at];
        double details = 0, grain = 0, even = 0;
        for (int y = row - 1; y <= row + 1; y++) {
          for (int x = at - 1; x <= at + 1; x++) {
            const Cell &near = cells[std::clamp(y, 0, down - 1) * across + std::clamp(x, 0, across - 1)];
            details += near.detail, even += near.even / 9, grain = std::max(grain, near.grain);
          }
        }
        const double detail = here.detail * 0.25 + details * 0.75 / 9;
        const double levels = detail * (is_small ? 0.22 : 0.17) + here.light * 1.0 + 1.4, bent = std::clamp((grain - 0.5) / 0.5, 0.0, 1.0);
        const double least = first.is_opaque ? 0.6 : 0.45;
        const double most = is_small ? levels + std::clamp((even - least) / (1 - least), 0.0, 1.0) * (1.65 - levels) : levels;
        const double chroma = here.chroma + here.bleeding * 2.6 * std::clamp((even - 0.5) / 0.4, 0.0, 1.0);
        const double smooth = 1 - std::clamp((grain - 1.5) / 1.5, 0.0, 1.0);
        const double drawn = may_stripe ? std::clamp((even - 0.7) / 0.1, 0.0, 1.0) * smooth : 0;
        const double stripes = is_small ? here.stripes * 0.9 * drawn : 0, shown = is_small ? bent : std::max(0.0, bent - drawn);
        const double in_slope = is_small ? 1.1 : 0.75 + drawn * (0.5 - 0.75);
        const double error = seen(here.luma, most, shown, in_slope) + seen(here.fine, most, shown, 1.1) + stripes + chroma;
        worst[row * across + at] = std::max(worst[row * across + at], sqrt(error));
      }
    }
  }
  std::vector<double> errors;
  for (int row = 0; row < down; row++)
    for (int at = 0; at < across; at++)
      if (counts(row, down, tile_rows / CELL) && counts(at, across, tile_columns / CELL)) errors.push_back(worst[row * across + at]);
  std::sort(errors.begin(), errors.end(), std::greater<double>());
  const size_t part = std::max<size_t>(1, (size_t)floor(errors.size() * 0.02 + 0.5));
  return std::max({merged(first, second), mean_of(errors, part), mean_of(errors, WORST_CELLS) / 1.7});
}

}  // namespace plain
