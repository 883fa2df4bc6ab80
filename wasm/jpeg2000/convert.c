// Samples as 8-bit pixels: depth, sign, subsampling, palette (ITU-T T.800, annex I.5.3), color model and alpha.
#include "breathe.h"
#include "codec.h"

// Measured.
enum { PIXEL_NANOSECONDS = 4 };

static uint32_t ceil_shift(uint32_t value, uint32_t by) { return (uint32_t)(((uint64_t)value + (1u << by) - 1) >> by); }

// A row of one component, and where in it the pixels of the result are.
struct samples {
  const int32_t *row;
  uint32_t first;   // absolute place of row[0]
  uint32_t count;
  uint32_t step;    // pixels of the result to one sample
  int32_t offset;   // makes signed samples begin at 0
  uint32_t most;
};

static struct samples samples_of(const struct layout *layout, const opj_image_comp_t *component, uint32_t reduce, uint32_t y) {
  const uint32_t step_y = component->dy / layout->step_y, top = ceil_shift(component->y0, reduce);
  uint32_t row = y / step_y;
  row = row < top ? 0 : row - top;
  if (row >= component->h) row = component->h - 1;
  return (struct samples){
      .row = component->data + (size_t)row * component->w,
      .first = ceil_shift(component->x0, reduce),
      .count = component->w,
      .step = component->dx / layout->step_x,
      .offset = component->sgnd ? 1 << (component->prec - 1) : 0,
      .most = (1u << component->prec) - 1,
  };
}

static uint32_t bounded(int32_t value, uint32_t most) {
  return value < 0 ? 0 : (uint32_t)value > most ? most : (uint32_t)value;
}

// The sample that covers pixel `x`; at the edges the nearest.
static int32_t sample_at(const struct samples *samples, uint32_t x) {
  uint32_t place = x / samples->step;
  place = place < samples->first ? 0 : place - samples->first;
  return samples->row[place < samples->count ? place : samples->count - 1];
}

// Adds one channel to `count` pixels, at bit `shift`.
static void add_channel(struct samples samples, uint32_t x, uint32_t count, uint32_t shift, const uint8_t *palette,
                        uint32_t entries, uint32_t *to) {
  if (palette) {
    for (uint32_t i = 0; i < count; i++)
      to[i] |= (uint32_t)palette[bounded(sample_at(&samples, x + i) + samples.offset, entries - 1)] << shift;
    return;
  }
  const uint32_t most = samples.most;
  const int32_t offset = samples.offset;
  if (samples.step == 1 && x >= samples.first && x - samples.first + count <= samples.count) {
    const int32_t *from = samples.row + (x - samples.first);
    if (most == 255) {
      for (uint32_t i = 0; i < count; i++) to[i] |= bounded(from[i] + offset, 255) << shift;
    } else {
      for (uint32_t i = 0; i < count; i++) to[i] |= (bounded(from[i] + offset, most) * 255 + most / 2) / most << shift;
    }
    return;
  }
  for (uint32_t i = 0; i < count; i++)
    to[i] |= (bounded(sample_at(&samples, x + i) + offset, most) * 255 + most / 2) / most << shift;
}

static uint32_t level(float value) { return value > 0 ? (value < 255 ? (uint32_t)(value + 0.5f) : 255) : 0; }

// sYCC (IEC 61966-2-1, amendment 1).
static void from_ycc(uint32_t *pixels, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const float y = pixels[i] & 255;
    const float cb = (float)(pixels[i] >> 8 & 255) - 128, cr = (float)(pixels[i] >> 16 & 255) - 128;
    const uint32_t r = level(y + 1.402f * cr), b = level(y + 1.772f * cb);
    const uint32_t g = level(y - 0.344136f * cb - 0.714136f * cr);
    pixels[i] = (pixels[i] & 0xff000000) | b << 16 | g << 8 | r;
  }
}

static void from_inks(uint32_t *pixels, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t key = 255 - (pixels[i] >> 24);
    uint32_t pixel = 0xff000000;
    for (int shift = 0; shift < 24; shift += 8)
      pixel |= ((255 - (pixels[i] >> shift & 255)) * key + 127) / 255 << shift;
    pixels[i] = pixel;
  }
}

static void from_gray(uint32_t *pixels, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) pixels[i] = (pixels[i] & 0xff000000) | (pixels[i] & 255) * 0x010101;
}

// Divides the lowest `bits` bits of a pixel, a byte each, by alpha; the others stay.
static uint32_t straight(uint32_t from, uint32_t alpha, int bits) {
  uint32_t pixel = bits == 32 ? 0 : from >> bits << bits;
  for (int shift = 0; alpha && shift < bits; shift += 8) {
    const uint32_t level = ((from >> shift & 255) * 255 + alpha / 2) / alpha;
    pixel |= (level > 255 ? 255 : level) << shift;
  }
  return pixel;
}

static void straighten(uint32_t *pixels, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t alpha = pixels[i] >> 24;
    if (alpha != 255) pixels[i] = straight(pixels[i], alpha, 24);
  }
}

static void straighten_inks(uint32_t *pixels, const uint8_t *alpha, uint32_t count) {
  for (uint32_t i = 0; i < count; i++)
    if (alpha[i] != 255) pixels[i] = straight(pixels[i], alpha[i], 32);
}

// Alpha beside inks that became colors.
static void join_alpha(uint32_t *pixels, const uint8_t *alpha, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) pixels[i] = (pixels[i] & 0xffffff) | (uint32_t)alpha[i] << 24;
}

// Writes alpha as bytes, by way of the pixels, which are zero before and after.
static void write_alpha(struct samples samples, uint32_t x, uint32_t count, const uint8_t *palette, uint32_t entries,
                        uint32_t *pixels, uint8_t *alpha) {
  add_channel(samples, x, count, 0, palette, entries, pixels);
  for (uint32_t i = 0; i < count; i++) {
    alpha[i] = (uint8_t)pixels[i];
    pixels[i] = 0;
  }
}

void convert_area(const struct layout *layout, const opj_image_t *image, uint32_t reduce, struct area area, uint32_t *to,
                  uint8_t *alpha, uint32_t stride) {
  const uint32_t count = area.x1 - area.x0;
  const uint32_t blank = layout->alpha == ALPHA_NONE && layout->model != MODEL_CMYK ? 0xff000000 : 0;
  const uint32_t channels = layout->channels;
  const int apart = has_alpha_apart(layout) && alpha;
  for (uint32_t y = area.y0; y < area.y1; y++, to += stride, alpha += apart ? stride : 0) {
    for (uint32_t x = 0; x < count; x++) to[x] = blank;
    // Alpha comes first: where it lies apart it passes through pixels that are still empty.
    for (uint32_t c = layout->alpha != ALPHA_NONE ? channels : channels - 1; c != UINT32_MAX; c--) {
      const struct samples samples = samples_of(layout, &image->comps[layout->component[c]], reduce, y);
      const uint8_t *palette = layout->column[c] >= 0 ? layout->palette[layout->column[c]] : NULL;
      if (c < channels) add_channel(samples, area.x0, count, c * 8, palette, layout->entries, to);
      else if (apart) write_alpha(samples, area.x0, count, palette, layout->entries, to, alpha);
      else if (layout->model != MODEL_CMYK) add_channel(samples, area.x0, count, 24, palette, layout->entries, to);
    }
    if (apart && layout->alpha == ALPHA_PREMULTIPLIED) straighten_inks(to, alpha, count);
    if (layout->model == MODEL_YCC) from_ycc(to, count);
    else if (layout->model == MODEL_GRAY) from_gray(to, count);
    else if (layout->model == MODEL_CMYK && !layout->inks) from_inks(to, count);
    if (apart && !layout->inks) join_alpha(to, alpha, count);
    if (layout->model != MODEL_CMYK && layout->alpha == ALPHA_PREMULTIPLIED) straighten(to, count);
    breathe((int)count * PIXEL_NANOSECONDS);
  }
}
