// No aligned allocation of the system: OpenJPEG's own goes through malloc, which is counted.
#pragma once
#define OPJ_PACKAGE_VERSION "2.5.4"
