// Parts of libjpeg-turbo that this module never selects. Its tables refer to them; they are left out for size.
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "jerror.h"
#include "jdct.h"

#define ABSENT(name) \
  void name(j_decompress_ptr jpeg); \
  void name(j_decompress_ptr jpeg) { ERREXIT(jpeg, JERR_NOT_COMPILED); }

// Color quantization and the merged upsamplers (not exact), 16-bit samples.
#define ABSENT_FLAG(name) \
  void name(j_decompress_ptr jpeg, boolean flag); \
  void name(j_decompress_ptr jpeg, boolean flag) { (void)flag; ERREXIT(jpeg, JERR_NOT_COMPILED); }
ABSENT(jinit_1pass_quantizer)
ABSENT(j12init_1pass_quantizer)
ABSENT(jinit_2pass_quantizer)
ABSENT(j12init_2pass_quantizer)
ABSENT(jinit_merged_upsampler)
ABSENT(j12init_merged_upsampler)
ABSENT(j16init_color_deconverter)
ABSENT(j16init_upsampler)
ABSENT(j16init_lossless_decompressor)
ABSENT_FLAG(j16init_d_main_controller)
ABSENT_FLAG(j16init_d_post_controller)
ABSENT_FLAG(j16init_d_diff_controller)

// The fast and the floating-point inverse transforms, and enlarging ones.
#define ABSENT_IDCT(name, rows) \
  void name(j_decompress_ptr jpeg, jpeg_component_info *component, JCOEFPTR block, rows output, JDIMENSION column) { \
    (void)component, (void)block, (void)output, (void)column; \
    ERREXIT(jpeg, JERR_NOT_COMPILED); \
  }
ABSENT_IDCT(jpeg_idct_ifast, JSAMPARRAY)
ABSENT_IDCT(jpeg_idct_float, JSAMPARRAY)
ABSENT_IDCT(jpeg12_idct_ifast, J12SAMPARRAY)
ABSENT_IDCT(jpeg12_idct_float, J12SAMPARRAY)
