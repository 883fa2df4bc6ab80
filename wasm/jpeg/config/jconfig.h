// libjpeg-turbo's build configuration for WebAssembly; stands for the file that its CMake build would generate.
#define JPEG_LIB_VERSION 62
#define LIBJPEG_TURBO_VERSION 3.1.3
#define LIBJPEG_TURBO_VERSION_NUMBER 3001003
#define D_ARITH_CODING_SUPPORTED 1
#define MEM_SRCDST_SUPPORTED 1
#ifndef SCALAR
#define WITH_SIMD 1
#endif
#ifndef BITS_IN_JSAMPLE
#define BITS_IN_JSAMPLE 8
#endif
