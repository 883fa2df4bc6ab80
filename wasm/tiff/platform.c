// What libtiff asks of the system; stands for tif_unix.c, which would bring in files.
#include <stdlib.h>
#include <string.h>
#include "tiff.h"
#include "tiffiop.h"

// In front of what libtiff allocates. Errors of libjpeg leave libtiff's functions without a chance to free what they hold.
struct holding {
  struct holding *next, **link;
};

enum { HEADER_BYTES = 16 };  // keeps what follows aligned
_Static_assert(sizeof(struct holding) <= HEADER_BYTES, "the header holds the links");

static struct holding **owner;

void holdings_use(struct holding **first) { owner = first; }

static void *hold(struct holding *holding) {
  if (!holding) return NULL;
  holding->next = *owner;
  holding->link = owner;
  if (*owner) (*owner)->link = &holding->next;
  *owner = holding;
  return (char *)holding + HEADER_BYTES;
}

static struct holding *let_go(void *memory) {
  struct holding *holding = (struct holding *)((char *)memory - HEADER_BYTES);
  *holding->link = holding->next;
  if (holding->next) holding->next->link = holding->link;
  return holding;
}

void holdings_free(struct holding **first) {
  while (*first) free(let_go((char *)*first + HEADER_BYTES));
}

// Sizes whose header does not fit are as impossible as any that large.
static int is_possible(tmsize_t size) { return size > 0 && size <= TIFF_TMSIZE_T_MAX - HEADER_BYTES; }

void *_TIFFmalloc(tmsize_t size) { return is_possible(size) ? hold(malloc((size_t)size + HEADER_BYTES)) : NULL; }
void *_TIFFcalloc(tmsize_t count, tmsize_t size) {
  if (count <= 0 || !is_possible(size) || count > (TIFF_TMSIZE_T_MAX - HEADER_BYTES) / size) return NULL;
  return hold(calloc(1, (size_t)count * (size_t)size + HEADER_BYTES));
}
void *_TIFFrealloc(void *memory, tmsize_t size) {
  if (!memory) return _TIFFmalloc(size);
  if (!is_possible(size)) return NULL;
  struct holding *before = let_go(memory);
  struct holding *holding = realloc(before, (size_t)size + HEADER_BYTES);
  if (holding) return hold(holding);
  hold(before);
  return NULL;
}
void _TIFFfree(void *memory) {
  if (memory) free(let_go(memory));
}
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
