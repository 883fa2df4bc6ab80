// The curves of a profile and its matrix to the linear samples of another are one table: what a level of red, green or
// blue adds to each of the three. The curve of sRGB (IEC 61966-2-1), which the other profile is taken to have, is another
// table, fine enough for a fifth of a level where the curve is steepest.
#include "shaper.h"
#include <math.h>
#include <stdlib.h>
#include <wasm_simd128.h>

enum { LEVELS = 256, STEPS = 16384 };

struct shaper {
  v128_t share[3][LEVELS];   // of linear red, green and blue of the target, in steps
};

// The levels of sRGB by linear samples; the last tells whether it was filled.
static uint8_t encoded[STEPS];

// Linear sRGB from XYZ of the profile connection space (D50), the inverse of the colorants of the sRGB profile.
static const double from_xyz[3][3] = {
    {3.1338561, -1.6168667, -0.4906146},
    {-0.9787684, 1.9161415, 0.0334540},
    {0.0719453, -0.2289914, 1.4052427},
};

static const cmsTagSignature curves[3] = {cmsSigRedTRCTag, cmsSigGreenTRCTag, cmsSigBlueTRCTag};
static const cmsTagSignature colorants[3] = {cmsSigRedColorantTag, cmsSigGreenColorantTag, cmsSigBlueColorantTag};

static void fill_encoded(void) {
  for (int step = 0; encoded[STEPS - 1] == 0 && step < STEPS; step++) {
    const double linear = step / (double)(STEPS - 1);
    encoded[step] = (uint8_t)lround(255 * (linear <= 0.0031308 ? 12.92 * linear : 1.055 * pow(linear, 1 / 2.4) - 0.055));
  }
}

static int has_only_matrix(cmsHPROFILE profile) {
  return cmsIsMatrixShaper(profile) && !cmsIsTag(profile, cmsSigAToB0Tag) && !cmsIsTag(profile, cmsSigBToA0Tag);
}

// A determinant of colorants below this is that of no colors: sRGB has 0.2.
static const double least_determinant = 1e-4;

// The linear samples of a profile from XYZ: the inverse of its colorants. Returns 0 where there is none.
static int invert_colorants(cmsHPROFILE profile, double inverse[3][3]) {
  double m[3][3];
  for (int c = 0; c < 3; c++) {
    const cmsCIEXYZ *colorant = cmsReadTag(profile, colorants[c]);
    if (!colorant) return 0;
    m[0][c] = colorant->X, m[1][c] = colorant->Y, m[2][c] = colorant->Z;
  }
  double determinant = 0;
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      const int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
      inverse[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
    }
    determinant += m[0][i] * inverse[i][0];
  }
  if (!(fabs(determinant) >= least_determinant)) return 0;
  for (int i = 0; i < 9; i++) inverse[i / 3][i % 3] /= determinant;
  return 1;
}

int shaper_is_singular(cmsHPROFILE profile) {
  double inverse[3][3];
  if (cmsGetColorSpace(profile) != cmsSigRgbData || !cmsIsMatrixShaper(profile)) return 0;
  return !cmsIsTag(profile, cmsSigAToB0Tag) && !invert_colorants(profile, inverse);
}

struct shaper *shaper_new(cmsHPROFILE from, cmsHPROFILE target) {
  if (!cmsIsMatrixShaper(from) || cmsIsTag(from, cmsSigAToB0Tag)) return NULL;
  double inverse[3][3];
  if (target && (!has_only_matrix(target) || !invert_colorants(target, inverse))) return NULL;
  struct shaper *shaper = aligned_alloc(sizeof(v128_t), sizeof *shaper);
  if (!shaper) return NULL;
  for (int c = 0; c < 3; c++) {
    const cmsToneCurve *curve = cmsReadTag(from, curves[c]);
    const cmsCIEXYZ *colorant = cmsReadTag(from, colorants[c]);
    if (!curve || !colorant) {
      free(shaper);
      return NULL;
    }
    for (int level = 0; level < LEVELS; level++) {
      const double linear = (STEPS - 1) * cmsEvalToneCurveFloat(curve, level / 255.0f);
      float share[4] = {0};
      for (int i = 0; i < 3; i++) {
        const double *row = target ? inverse[i] : from_xyz[i];
        share[i] = (float)(linear * (row[0] * colorant->X + row[1] * colorant->Y + row[2] * colorant->Z));
      }
      shaper->share[c][level] = wasm_v128_load(share);
    }
  }
  fill_encoded();
  return shaper;
}

void shaper_convert(const struct shaper *shaper, const uint8_t *in, uint8_t *out, uint32_t pixels) {
  const v128_t half = wasm_f32x4_const_splat(0.5f), most = wasm_f32x4_const_splat(STEPS - 1);
  for (uint32_t i = 0; i < pixels; i++, in += 4, out += 4) {
    const v128_t red = wasm_f32x4_add(shaper->share[0][in[0]], half);
    const v128_t sum = wasm_f32x4_add(red, wasm_f32x4_add(shaper->share[1][in[1]], shaper->share[2][in[2]]));
    // Below zero the conversion ends at zero.
    const v128_t steps = wasm_u32x4_trunc_sat_f32x4(wasm_f32x4_pmin(sum, most));
    out[3] = in[3];
    out[0] = encoded[wasm_u32x4_extract_lane(steps, 0)];
    out[1] = encoded[wasm_u32x4_extract_lane(steps, 1)];
    out[2] = encoded[wasm_u32x4_extract_lane(steps, 2)];
  }
}
