// What libtiff refers to for writing, which this module never does, and what libjpeg-turbo has for samples of more than
// 8 bits.
#define JPEG_INTERNALS
#include "jinclude.h"
#include "jpeglib.h"
#include "zlib.h"

__attribute__((import_module("env"), import_name("fail"))) _Noreturn void tiff_fail(const char *text);

#define ABSENT(result, name, ...) \
  result name(__VA_ARGS__);       \
  result name(__VA_ARGS__) { tiff_fail("not compiled"); }

ABSENT(void, jpeg_CreateCompress, j_compress_ptr jpeg, int version, size_t size)
ABSENT(void, jpeg_set_defaults, j_compress_ptr jpeg)
ABSENT(void, jpeg_set_colorspace, j_compress_ptr jpeg, J_COLOR_SPACE space)
ABSENT(void, jpeg_set_quality, j_compress_ptr jpeg, int quality, boolean baseline)
ABSENT(void, jpeg_suppress_tables, j_compress_ptr jpeg, boolean suppress)
ABSENT(void, jpeg_start_compress, j_compress_ptr jpeg, boolean all)
ABSENT(JDIMENSION, jpeg_write_scanlines, j_compress_ptr jpeg, JSAMPARRAY rows, JDIMENSION count)
ABSENT(JDIMENSION, jpeg_write_raw_data, j_compress_ptr jpeg, JSAMPIMAGE data, JDIMENSION count)
ABSENT(void, jpeg_finish_compress, j_compress_ptr jpeg)
ABSENT(void, jpeg_write_tables, j_compress_ptr jpeg)

ABSENT(int, deflateInit_, z_streamp stream, int level, const char *version, int size)
ABSENT(int, deflate, z_streamp stream, int flush)
ABSENT(int, deflateParams, z_streamp stream, int level, int strategy)
ABSENT(int, deflateReset, z_streamp stream)
ABSENT(int, deflateEnd, z_streamp stream)

#define ABSENT_PART(name) ABSENT(void, name, j_decompress_ptr jpeg)
#define ABSENT_CONTROLLER(name) ABSENT(void, name, j_decompress_ptr jpeg, boolean full)
ABSENT_PART(j12init_color_deconverter)
ABSENT_PART(j12init_inverse_dct)
ABSENT_PART(j12init_upsampler)
ABSENT_PART(j12init_lossless_decompressor)
ABSENT_CONTROLLER(j12init_d_coef_controller)
ABSENT_CONTROLLER(j12init_d_diff_controller)
ABSENT_CONTROLLER(j12init_d_main_controller)
ABSENT_CONTROLLER(j12init_d_post_controller)
