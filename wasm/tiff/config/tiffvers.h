// Stands for the file that libtiff's CMake build would generate.
#define TIFFLIB_VERSION_STR "LIBTIFF"
#define TIFFLIB_VERSION 20260101
#define TIFFLIB_MAJOR_VERSION 4
#define TIFFLIB_MINOR_VERSION 7
#define TIFFLIB_MICRO_VERSION 2
#define TIFFLIB_VERSION_STR_MAJ_MIN_MIC "4.7.2"
#define TIFFLIB_AT_LEAST(major, minor, micro) 1
