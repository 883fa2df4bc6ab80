// What C++ and libc allocate counts as what C does: operators new and delete of a module, by the allocator that it has.
// And locks, of which modules have none.
#include <stdlib.h>
#include <string.h>

extern "C" {

// Ends the job as a trap does: the module has no exceptions.
__attribute__((noreturn)) void host_trap(void);

static void *allocate(size_t size) {
  void *memory = malloc(size ? size : 1);
  if (!memory) host_trap();
  return memory;
}

void *__wrap__Znwj(size_t size) { return allocate(size); }
void *__wrap__Znaj(size_t size) { return allocate(size); }
void *__wrap__ZnwjRKSt9nothrow_t(size_t size, const void *) { return malloc(size ? size : 1); }
void __wrap__ZdlPv(void *pointer) { free(pointer); }
void __wrap__ZdaPv(void *pointer) { free(pointer); }
void __wrap__ZdlPvj(void *pointer, size_t) { free(pointer); }
void __wrap__ZdaPvj(void *pointer, size_t) { free(pointer); }

// Here all memory is aligned to 16 bytes, which is the most that is asked for.
void *__wrap_aligned_alloc(size_t, size_t size) { return malloc(size); }

char *__wrap_strdup(const char *text) {
  const size_t bytes = strlen(text) + 1;
  char *copy = (char *)malloc(bytes);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

// There is one thread, and as in the modules locks lock nothing: a job that was ended while it held one must not keep the
// next job waiting for ever.
int __wrap_pthread_mutex_lock(void *) { return 0; }
int __wrap_pthread_mutex_unlock(void *) { return 0; }

// The linker wraps only what is called somewhere.
__attribute__((used)) void *(*const allocators[])(size_t) = {malloc};
__attribute__((used)) void *(*const others[])(void *, size_t) = {realloc};
__attribute__((used)) void *(*const zeroing[])(size_t, size_t) = {calloc};
}
