// Tells libjpeg-turbo which of its accelerated functions exist here (idct.c, upsample.c, ycc.c); its C code does the
// rest.
#ifndef SCALAR
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"
#include "jsimd.h"
#include "jdct.h"
#include "jsimddct.h"

int jsimd_can_ycc_rgb(void) { return 1; }
int jsimd_can_idct_islow(void) { return 1; }
int jsimd_can_idct_4x4(void) { return 1; }
int jsimd_can_idct_2x2(void) { return 1; }
int jsimd_can_h2v1_fancy_upsample(void) { return 1; }
int jsimd_can_h2v2_fancy_upsample(void) { return 1; }

int jsimd_can_ycc_rgb565(void) { return 0; }
int jsimd_can_idct_ifast(void) { return 0; }
int jsimd_can_idct_float(void) { return 0; }
int jsimd_can_h2v1_upsample(void) { return 0; }
int jsimd_can_h2v2_upsample(void) { return 0; }

#define MISSING_IDCT(name) \
  void name(j_decompress_ptr jpeg, jpeg_component_info *component, JCOEFPTR block, JSAMPARRAY rows, JDIMENSION column) { \
    (void)component, (void)block, (void)rows, (void)column; \
    ERREXIT(jpeg, JERR_NOT_COMPILED); \
  }
MISSING_IDCT(jsimd_idct_ifast)
MISSING_IDCT(jsimd_idct_float)

#define MISSING_UPSAMPLE(name) \
  void name(j_decompress_ptr jpeg, jpeg_component_info *component, JSAMPARRAY in, JSAMPARRAY *out) { \
    (void)component, (void)in, (void)out; \
    ERREXIT(jpeg, JERR_NOT_COMPILED); \
  }
MISSING_UPSAMPLE(jsimd_h2v1_upsample)
MISSING_UPSAMPLE(jsimd_h2v2_upsample)

void jsimd_ycc_rgb565_convert(j_decompress_ptr jpeg, JSAMPIMAGE in, JDIMENSION row, JSAMPARRAY out, int count) {
  (void)in, (void)row, (void)out, (void)count;
  ERREXIT(jpeg, JERR_NOT_COMPILED);
}
#endif
