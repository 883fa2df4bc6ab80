// What libjxl's build writes from version.h.in.
#pragma once

#define JPEGXL_MAJOR_VERSION 0
#define JPEGXL_MINOR_VERSION 11
#define JPEGXL_PATCH_VERSION 2

#define JPEGXL_COMPUTE_NUMERIC_VERSION(major, minor, patch) (((major) << 24) | ((minor) << 16) | ((patch) << 8) | 0)
#define JPEGXL_NUMERIC_VERSION \
  JPEGXL_COMPUTE_NUMERIC_VERSION(JPEGXL_MAJOR_VERSION, JPEGXL_MINOR_VERSION, JPEGXL_PATCH_VERSION)
