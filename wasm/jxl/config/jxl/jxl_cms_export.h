// What libjxl's build writes of the visibility of functions: all are linked into one module, and none is exported.
#pragma once

#define JXL_CMS_EXPORT
#define JXL_CMS_NO_EXPORT
#define JXL_CMS_DEPRECATED __attribute__((__deprecated__))
#define JXL_CMS_DEPRECATED_EXPORT JXL_CMS_EXPORT JXL_CMS_DEPRECATED
#define JXL_CMS_DEPRECATED_NO_EXPORT JXL_CMS_NO_EXPORT JXL_CMS_DEPRECATED
