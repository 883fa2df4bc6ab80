// What libjxl's build writes of the visibility of functions: all are linked into one module, and none is exported.
#pragma once

#define JXL_EXPORT
#define JXL_NO_EXPORT
#define JXL_DEPRECATED __attribute__((__deprecated__))
#define JXL_DEPRECATED_EXPORT JXL_EXPORT JXL_DEPRECATED
#define JXL_DEPRECATED_NO_EXPORT JXL_NO_EXPORT JXL_DEPRECATED
