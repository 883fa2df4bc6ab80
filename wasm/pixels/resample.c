// Streaming separable resampling: source rows in, result rows out, as few rows in memory as the filter is long.
//
//   window (u8, as the caller writes it)
//     -> [box: whole blocks of samples averaged, only for strong reductions]
//     -> ring of row pairs: samples of row 2m and row 2m+1 interleaved, so that one i32x4.dot_i16x8_s applies two
//        weights of the vertical filter to four samples; bytes where the source can be kept as it is, i16 otherwise
//     -> vertical filter to one row of i16 -> horizontal filter -> u8 result row
//
// Samples are fixed point with FRACTION bits below the 8-bit value; with alpha they are premultiplied, with `linear`
// they are linear light. The filters are exact to about 1/64 of a level; only the last step rounds to 8 bits.
// Between the passes an opaque row is clamped to its range, as libvips does, which keeps ringing from being ringed
// again; a premultiplied row is not (color may exceed alpha only in the end result, where it is clamped).
#include "resample.h"

#include <math.h>

static double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : pow((v + 0.055) / 1.055, 2.4); }
static double from_linear(double v) { return v <= 0.0031308 ? v * 12.92 : 1.055 * pow(v, 1 / 2.4) - 0.055; }

static int make_linear_tables(Resampler *r) {
  for (int v = 0; v < 256; v++) r->to_linear[v] = (int16_t)lrint(to_linear(v / 255.0) * WHITE);
  if (!r->linear) return 1;
  r->from_linear = malloc(WHITE + 1);
  if (!r->from_linear) return 0;
  for (int v = 0; v <= WHITE; v++) r->from_linear[v] = (uint8_t)lrint(from_linear((double)v / WHITE) * 255);
  return 1;
}

static int has_rows_for(const Resampler *r, int y) {
  return r->prepared >= MIN(r->height, (int)round_up(r->vertical.end[y], 2));
}

void EXPORT(resampler_close)(Resampler *r) {
  taps_free(&r->vertical);
  taps_free(&r->horizontal);
  free(r->window), free(r->band), free(r->ring), free(r->even), free(r->odd), free(r->row), free(r->group);
  free(r->sums), free(r->pair), free(r->from_linear);
  free(r);
}

static int allocate(Resampler *r) {
  const size_t pixel = r->mode == GRAY ? 1 : 4, slack = 64;
  r->samples = round_up((size_t)r->mode * (r->width + 8), LANES);
  r->pairs = r->vertical.longest / 2 + WINDOW_ROWS / 2 + 1;
  const size_t row = MAX(r->samples, round_up((size_t)r->mode * (r->source_width + 8), LANES));
  r->band_rows = clamp(65536 / (int)MIN(65536, pixel * r->result_width), GROUP, 16) / GROUP * GROUP;
  r->window = calloc((size_t)WINDOW_ROWS * r->source_width * pixel + slack, 1);
  r->band = malloc((size_t)r->band_rows * r->result_width * pixel);
  r->ring = calloc((size_t)r->pairs * 2 * r->samples, r->narrow ? 1 : sizeof(int16_t));
  r->even = calloc(MAX(row * sizeof(int16_t), r->source_width * pixel + slack), 1);
  r->odd = calloc(row, sizeof(int16_t));
  r->row = calloc(row * (r->grouped ? GROUP : 1), sizeof(int16_t));
  r->group = r->grouped ? calloc(r->samples * GROUP, sizeof(int16_t)) : 0;
  r->sums = calloc(r->mode == GRAY ? (size_t)r->width + 3 : (size_t)r->width * LANES_OF_PIXEL, sizeof(uint32_t));
  r->pair = malloc(sizeof *r->pair * r->pairs);
  if (r->grouped && !r->group) return 0;
  return r->window && r->band && r->ring && r->even && r->odd && r->row && r->sums && r->pair && make_linear_tables(r);
}

static int box_of(double length, int size) { return length / size < BOX_MIN ? 1 : MIN((int)(length / size / BOX_LEFT), 256); }

// What is left of a Gaussian after a box of `box` samples (variances add up), in boxes.
static double sigma_after(double sigma, int box) {
  return sqrt(MAX(0.01, sigma * sigma - (box * box - 1) / 12.0)) / box;
}

// Opens a resampler for the box [x, x + width) x [y, y + height) (fractions allowed) of a source_width x source_height
// picture, of which no result sample is centered beyond (last_x, last_y). channels: 1 (one byte a pixel), 3 (RGBA,
// opaque), 4 (RGBA with straight alpha). sigma: of a Gaussian, in source pixels. Returns 0 when memory ran out.
Resampler *EXPORT(resampler_open)(int source_width, int source_height, double x, double y, double width, double height,
                                  double last_x, double last_y, int result_width, int result_height, int kernel,
                                  double sigma, int channels, int linear) {
  Resampler *r = calloc(1, sizeof *r);
  if (!r) return 0;
  r->mode = channels, r->linear = linear;
  r->source_width = source_width, r->source_height = source_height;
  r->result_width = result_width, r->result_height = result_height;
  r->box_x = kernel == NEAREST ? 1 : box_of(width, result_width);
  r->box_y = kernel == NEAREST ? 1 : box_of(height, result_height);
  r->narrow = r->box_x == 1 && r->box_y == 1 && !linear && r->mode != ALPHA;
  r->grouped = r->mode == GRAY || (r->mode == OPAQUE && !linear);
  r->width = (source_width + r->box_x - 1) / r->box_x;
  r->height = (source_height + r->box_y - 1) / r->box_y;
  if (!taps_make(&r->vertical, kernel, sigma_after(sigma, r->box_y), y / r->box_y, height / r->box_y,
                 last_y / r->box_y, r->height, result_height, 2, 2) ||
      !taps_make(&r->horizontal, kernel, sigma_after(sigma, r->box_x), x / r->box_x, width / r->box_x,
                 last_x / r->box_x, r->width, result_width, r->grouped ? 2 : 1, 4) ||
      !allocate(r)) {
    resampler_close(r);
    return 0;
  }
  return r;
}

// Where the caller writes source rows, tightly packed; the same place for the life of the resampler.
uint8_t *EXPORT(resampler_window)(const Resampler *r) { return r->window; }
uint8_t *EXPORT(resampler_band)(const Resampler *r) { return r->band; }

// Source rows that may be written now; 0 when result rows have to be read first or no further source row is needed.
int EXPORT(resampler_room)(const Resampler *r) {
  if (r->written == r->result_height) return 0;
  const int used = MAX(0, (r->prepared + 1) / 2 - r->vertical.start[r->written] / 2);
  const int room = (r->pairs - used) * 2 * r->box_y - r->box_rows;
  return MIN(MIN(WINDOW_ROWS, room), r->source_height - r->rows_in);
}

// Takes the first `count` rows of the window; at most resampler_room.
void EXPORT(resampler_commit)(Resampler *r, int count) {
  const size_t stride = (size_t)r->source_width * (r->mode == GRAY ? 1 : 4);
  const int boxed = r->box_x > 1 || r->box_y > 1;
  if (!boxed && !r->linear) {
    resample_add_rows(r, r->window, count);
    return;
  }
  for (int i = 0; i < count; i++) {
    if (boxed) resample_add_to_box(r, r->window + i * stride), r->rows_in++;
    else resample_add_linear_row(r, r->window + i * stride);
  }
}

// Result rows, at most `most`, that the committed rows allow.
static int ready(const Resampler *r, int most) {
  int count = 0;
  while (count < most && r->written + count < r->result_height && has_rows_for(r, r->written + count)) count++;
  return count;
}

// Result rows in whole groups, as long as source rows for a whole one can still come.
static int read_groups(Resampler *r, int max, size_t stride) {
  const int whole = MIN(GROUP, max);
  int count = 0;
  while (count == 0 || count + GROUP <= max) {
    const int rows = ready(r, whole);
    if (rows == 0 || (rows < whole && resampler_room(r) > 0)) break;
    resample_group(r, r->written, rows, r->band + stride * count);
    r->written += rows, count += rows;
  }
  return count;
}

// Writes at most `max` result rows to the band, as many as the committed rows allow, or fewer while more source rows
// can be written; returns how many.
int EXPORT(resampler_read)(Resampler *r, int max) {
  const size_t stride = (size_t)r->result_width * (r->mode == GRAY ? 1 : 4);
  max = MIN(max, r->band_rows);
  if (r->grouped) return read_groups(r, max, stride);
  int count = 0;
  for (; count < max && ready(r, 1); count++) {
    resample_vertically(r, r->written++, r->row);
    resample_horizontally(r, r->band + stride * count);
  }
  return count;
}
