// What libtiff asks of the system; stands for tif_unix.c, which would bring in files.
#include <stdlib.h>
#include <string.h>
#include "tiffio.h"

void *_TIFFmalloc(tmsize_t size) { return size > 0 ? malloc((size_t)size) : NULL; }
void *_TIFFcalloc(tmsize_t count, tmsize_t size) {
  return count > 0 && size > 0 ? calloc((size_t)count, (size_t)size) : NULL;
}
void *_TIFFrealloc(void *memory, tmsize_t size) { return realloc(memory, (size_t)size); }
void _TIFFfree(void *memory) { free(memory); }
void _TIFFmemset(void *to, int value, tmsize_t size) { memset(to, value, (size_t)size); }
void _TIFFmemcpy(void *to, const void *from, tmsize_t size) { memcpy(to, from, (size_t)size); }
int _TIFFmemcmp(const void *left, const void *right, tmsize_t size) { return memcmp(left, right, (size_t)size); }

// libtiff asks for switches of its users; there is no environment.
char *getenv(const char *name) {
  (void)name;
  return NULL;
}

TIFFErrorHandler _TIFFwarningHandler = NULL;
TIFFErrorHandler _TIFFerrorHandler = NULL;
