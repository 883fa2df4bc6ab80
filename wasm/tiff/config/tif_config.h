// libtiff's internal build configuration for WebAssembly.
#pragma once
#include "tiffconf.h"
#define DEFER_STRILE_LOAD 1
#define HAVE_ASSERT_H 1
#define HAVE_FCNTL_H 1
#define HAVE_STRINGS_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_UNISTD_H 1
#define PACKAGE_NAME "libtiff"
#define SIZEOF_SIZE_T 4
#define STRIP_SIZE_DEFAULT 8192
#define TIFF_MAX_DIR_COUNT 65535
#define WORDS_BIGENDIAN 0
#define TIFF_SIZE_FORMAT "zu"
#define TIFF_SSIZE_FORMAT PRId32
