// Counts what is allocated, so that a job can be held to the memory it declared and a test can see that everything was
// freed. The linker sends every call of malloc, calloc, realloc and free here (--wrap).
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>

#include "native.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *pointer, size_t size);
void __real_free(void *pointer);

static size_t used;
static size_t peak;
static size_t limit = (size_t)-1;

static void *counted(void *pointer) {
  if (pointer != NULL) {
    used += malloc_usable_size(pointer);
    if (used > peak) peak = used;
  }
  return pointer;
}

static int refused(size_t size) { return used > limit || size > limit - used; }

void *EXPORT_AS(__wrap_malloc, malloc)(size_t size) { return refused(size) ? NULL : counted(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
  if (size != 0 && count > (size_t)-1 / size) return NULL;
  return refused(count * size) ? NULL : counted(__real_calloc(count, size));
}

void EXPORT_AS(__wrap_free, free)(void *pointer) {
  if (pointer == NULL) return;
  used -= malloc_usable_size(pointer);
  __real_free(pointer);
}

void *__wrap_realloc(void *pointer, size_t size) {
  if (refused(size)) return NULL;
  const size_t before = pointer == NULL ? 0 : malloc_usable_size(pointer);
  void *const moved = __real_realloc(pointer, size);
  if (moved == NULL) return NULL;
  used -= before;
  return counted(moved);
}

size_t EXPORT(heap_used)(void) { return used; }
// The most that was in use since the last `heap_mark`.
size_t EXPORT(heap_peak)(void) { return peak; }
void EXPORT(heap_mark)(void) { peak = used; }
// Allocations that would bring the use above `bytes` fail until the limit is set again.
void EXPORT(heap_limit)(size_t bytes) { limit = bytes; }
