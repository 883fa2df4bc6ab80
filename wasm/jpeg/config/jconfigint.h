// libjpeg-turbo's internal build configuration for WebAssembly.
#define BUILD "0"
#define HIDDEN __attribute__((visibility("hidden")))
#undef inline
#define INLINE __inline__ __attribute__((always_inline))
#define THREAD_LOCAL
#define PACKAGE_NAME "libjpeg-turbo"
#define VERSION "3.1.3"
#define SIZEOF_SIZE_T 4
#define HAVE_BUILTIN_CTZL
#define FALLTHROUGH __attribute__((fallthrough));
#ifndef BITS_IN_JSAMPLE
#define BITS_IN_JSAMPLE 8
#endif
// Arithmetic decoding and the kernels exist for 8-bit samples only.
#undef D_ARITH_CODING_SUPPORTED
#undef WITH_SIMD
#if BITS_IN_JSAMPLE == 8
#define D_ARITH_CODING_SUPPORTED 1
#ifndef SCALAR
#define WITH_SIMD 1
#endif
#endif
