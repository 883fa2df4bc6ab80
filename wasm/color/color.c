// ICC transforms between profiles over runs of pixels: those of 8 bits a sample by a kernel where both are curves and a
// matrix and the target has the curve of sRGB, else by Little CMS 2; those of 16 bits by that alone.
#include <lcms2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "shaper.h"

// How the caller's pixels are laid out; the numbers are shared with color.ts.
enum { LAYOUT_RGBA = 0, LAYOUT_GRAY_IN_RGBA = 1, LAYOUT_CMYK = 2, LAYOUT_CMYK_INVERTED = 3 };

static cmsUInt32Number input_format(int layout, int sixteen_bit) {
  if (sixteen_bit) return layout == LAYOUT_RGBA ? TYPE_RGBA_16 : COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(2);
  switch (layout) {
    case LAYOUT_GRAY_IN_RGBA:
      return COLORSPACE_SH(PT_GRAY) | CHANNELS_SH(1) | EXTRA_SH(3) | BYTES_SH(1);
    case LAYOUT_CMYK:
      return TYPE_CMYK_8;
    case LAYOUT_CMYK_INVERTED:
      return TYPE_CMYK_8_REV;
    default:
      return TYPE_RGBA_8;
  }
}

static cmsColorSpaceSignature expected_space(int layout) {
  if (layout == LAYOUT_RGBA) return cmsSigRgbData;
  return layout == LAYOUT_GRAY_IN_RGBA ? cmsSigGrayData : cmsSigCmykData;
}

struct transform {
  cmsHTRANSFORM lcms;
  struct shaper *shaper;  // does the same, where there is one
};

static void convert(const struct transform *transform, const void *in, void *out, uint32_t pixels) {
  if (transform->shaper) shaper_convert(transform->shaper, in, out, pixels);
  else cmsDoTransform(transform->lcms, in, out, pixels);
}

enum { GRID = 9 };

// A row of a 9 x 9 x 9 grid of colors.
static void grid_row(int r, int g, uint8_t pixels[GRID * 4]) {
  for (int b = 0; b < GRID; b++) {
    uint8_t *pixel = pixels + b * 4;
    pixel[0] = r * 255 / 8, pixel[1] = g * 255 / 8, pixel[2] = b * 255 / 8, pixel[3] = 255;
  }
}

// Whether two transforms of pixels, none of them for what stays as it is, are never more than two levels apart.
static int are_alike(const struct transform *one, const struct transform *other) {
  for (int r = 0; r < GRID; r++) {
    for (int g = 0; g < GRID; g++) {
      uint8_t pixels[GRID * 4], first[GRID * 4], second[GRID * 4];
      grid_row(r, g, pixels);
      memcpy(first, pixels, sizeof first);
      memcpy(second, pixels, sizeof second);
      convert(one, pixels, first, GRID);
      if (other) convert(other, pixels, second, GRID);
      for (unsigned i = 0; i < sizeof first; i++)
        if (abs(first[i] - second[i]) > 2) return 0;
    }
  }
  return 1;
}

// Adds the kernel to a transform that it can stand for: what a profile has besides curves and a matrix is not known to
// it.
static void take_shaper(struct transform *transform, struct shaper *shaper) {
  const struct transform kernel = {0, shaper};
  if (shaper && are_alike(&kernel, transform)) transform->shaper = shaper;
  else free(shaper);
}

void EXPORT(color_close)(struct transform *transform) {
  cmsDeleteTransform(transform->lcms);
  free(transform->shaper);
  free(transform);
}

// Of 16 bits every sample goes through the curves of the profiles as they are: tables in their place are less exact.
static cmsHTRANSFORM lcms_transform(cmsHPROFILE from, int layout, cmsHPROFILE to, int sixteen_bit) {
  if (cmsGetColorSpace(from) != expected_space(layout) || cmsGetColorSpace(to) != cmsSigRgbData) return 0;
  return cmsCreateTransform(from, input_format(layout, sixteen_bit), to, sixteen_bit ? TYPE_RGBA_16 : TYPE_RGBA_8, INTENT_PERCEPTUAL,
                            sixteen_bit ? cmsFLAGS_NOOPTIMIZE : 0);
}

// `target` is null for sRGB.
static struct transform *new_transform(cmsHPROFILE from, int layout, cmsHPROFILE target, int sixteen_bit) {
  struct transform *transform = calloc(1, sizeof *transform);
  cmsHPROFILE to = target ? target : cmsCreate_sRGBProfile();
  if (transform && to) transform->lcms = lcms_transform(from, layout, to, sixteen_bit);
  if (to && !target) cmsCloseProfile(to);
  if (!transform || !transform->lcms) {
    free(transform);
    return 0;
  }
  if (layout == LAYOUT_RGBA && !sixteen_bit) take_shaper(transform, shaper_new(from, target));
  return transform;
}

// Null where a profile is damaged; sRGB where its length is 0.
static cmsHPROFILE open_profile(const void *profile, uint32_t length) {
  if (!length) return cmsCreate_sRGBProfile();
  const cmsHPROFILE opened = cmsOpenProfileFromMem(profile, length);
  if (!opened || !shaper_is_singular(opened)) return opened;
  cmsCloseProfile(opened);
  return 0;
}

// A transform from a profile to another one, of RGB; either is sRGB where its length is 0. 0: a profile is damaged or
// for other pixels; 1: nothing to do, for both are one under two names, and converting would only add rounding. `sixteenBit`: of
// samples of 16 bits, not of inks.
void *EXPORT(color_open)(const void *profile, uint32_t length, int layout, const void *target, uint32_t target_length,
                         int sixteen_bit) {
  cmsHPROFILE from = open_profile(profile, length);
  cmsHPROFILE to = target_length ? open_profile(target, target_length) : 0;
  struct transform *transform = 0;
  const int is_whole = from && (to || target_length == 0);
  if (is_whole) transform = new_transform(from, layout, to, 0);
  const int is_needless = transform && layout == LAYOUT_RGBA && are_alike(transform, NULL);
  if (transform && (is_needless || sixteen_bit)) {
    color_close(transform);
    transform = is_needless ? (void *)1 : new_transform(from, layout, to, 1);
  }
  if (from) cmsCloseProfile(from);
  if (to) cmsCloseProfile(to);
  return transform;
}

// Converts a run of pixels; `output` keeps its fourth samples. It may be the input for layouts of four samples.
void EXPORT(color_convert)(const struct transform *transform, const void *input, void *output, uint32_t pixels) {
  convert(transform, input, output, pixels);
}
