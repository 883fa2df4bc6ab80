// ICC transforms to sRGB over runs of 8-bit pixels, on Little CMS 2.
#include <lcms2.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name), visibility("default"), used)) name

// How the caller's pixels are laid out; the numbers are shared with color.ts.
enum { LAYOUT_RGBA = 0, LAYOUT_GRAY_IN_RGBA = 1, LAYOUT_CMYK = 2, LAYOUT_CMYK_INVERTED = 3 };

static cmsUInt32Number input_format(int layout) {
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

// Whether a transform moves no sample of a 9 x 9 x 9 grid by more than two levels: the profile is sRGB under another
// name, and converting would only add rounding.
static int changes_nothing(cmsHTRANSFORM transform) {
  for (int r = 0; r <= 8; r++) {
    for (int g = 0; g <= 8; g++) {
      uint8_t in[9 * 4], out[9 * 4];
      for (int b = 0; b <= 8; b++) {
        uint8_t *pixel = in + b * 4;
        pixel[0] = r * 255 / 8, pixel[1] = g * 255 / 8, pixel[2] = b * 255 / 8, pixel[3] = 255;
      }
      memcpy(out, in, sizeof in);
      cmsDoTransform(transform, in, out, 9);
      for (unsigned i = 0; i < sizeof in; i++) {
        if (abs(in[i] - out[i]) > 2) return 0;
      }
    }
  }
  return 1;
}

// A transform from an embedded profile to sRGB. 0: the profile is damaged or for other pixels; 1: nothing to do.
void *EXPORT(color_open)(const void *profile, uint32_t length, int layout) {
  cmsHPROFILE from = cmsOpenProfileFromMem(profile, length);
  if (!from) return 0;
  cmsHTRANSFORM transform = 0;
  if (cmsGetColorSpace(from) == expected_space(layout)) {
    cmsHPROFILE to = cmsCreate_sRGBProfile();
    if (to) {
      transform = cmsCreateTransform(from, input_format(layout), to, TYPE_RGBA_8, INTENT_PERCEPTUAL, 0);
      cmsCloseProfile(to);
    }
  }
  cmsCloseProfile(from);
  if (transform && layout == LAYOUT_RGBA && changes_nothing(transform)) {
    cmsDeleteTransform(transform);
    return (void *)1;
  }
  return transform;
}

// Converts a run of pixels; `out` keeps its fourth byte. `in` and `out` may be the same for four-byte layouts.
void EXPORT(color_convert)(void *transform, const void *in, void *out, uint32_t pixels) {
  cmsDoTransform(transform, in, out, pixels);
}

void EXPORT(color_close)(void *transform) { cmsDeleteTransform(transform); }
