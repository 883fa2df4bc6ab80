// What libjxl's build writes of the visibility of functions: all are linked into one module, and none is exported.
#pragma once

#define JXL_THREADS_EXPORT
#define JXL_THREADS_NO_EXPORT
#define JXL_THREADS_DEPRECATED __attribute__((__deprecated__))
#define JXL_THREADS_DEPRECATED_EXPORT JXL_THREADS_EXPORT JXL_THREADS_DEPRECATED
#define JXL_THREADS_DEPRECATED_NO_EXPORT JXL_THREADS_NO_EXPORT JXL_THREADS_DEPRECATED
