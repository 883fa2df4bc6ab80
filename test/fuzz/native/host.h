// What every fuzz target shares: input taken apart, errors thrown by `fail`, and the account of allocated memory.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>
#include <sanitizer/asan_interface.h>
#include <math.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <algorithm>
#include <vector>

// Numbers are taken from the end of an input, bytes from its beginning: a seed is a file with parameters behind it.
struct Input : FuzzedDataProvider {
  using FuzzedDataProvider::FuzzedDataProvider;
  template <typename Number>
  Number number(Number least, Number most) {
    return ConsumeIntegralInRange(least, most);
  }
  bool flag() { return ConsumeBool(); }
};
using Bytes = std::vector<uint8_t>;

extern "C" {
size_t heap_used(void);
void heap_limit(size_t bytes);
// What modules allocate and free, for memory that changes hands.
void *__wrap_malloc(size_t size);
void __wrap_free(void *pointer);
}

namespace host {

// Where `fail` goes; null where it must not be called.
inline jmp_buf *escape = nullptr;
// The job ended by a trap: what it held is lost, as an instance is that trapped.
inline bool trapped = false;

// Runs calls into the module; false when it said `fail`. What lies on the stack of `work` must need no destructor.
template <typename Work>
bool run(Work &&work) {
  jmp_buf here;
  escape = &here;
  const bool done = setjmp(here) == 0;
  if (done) work();
  escape = nullptr;
  return done;
}

// As much memory as a job of WebAssembly can have, or sometimes so little that allocations fail in the midst of it.
inline void choose_limit(Input &input) {
  const size_t most = size_t{100} << 20;
  const size_t few = input.ConsumeIntegral<uint32_t>();
  heap_limit(heap_used() + (input.ConsumeIntegral<uint8_t>() < 240 ? most : few % (size_t{1} << (few >> 27))));
}

[[noreturn]] inline void wrong(const char *text) {
  fprintf(stderr, "wrong: %s\n", text);
  abort();
}

// What an input may take, in seconds of processor time: a machine that is busy with others makes none of them slow.
enum { MOST_SECONDS = 10 };

// Everything that a job allocated has to be free at its end, and the end has to come in time.
class Account {
  const size_t before = heap_used();
  const clock_t begun = clock();

 public:
  Account() { trapped = false; }
  ~Account() {
    heap_limit(SIZE_MAX);
    if ((clock() - begun) / CLOCKS_PER_SEC >= MOST_SECONDS) wrong("an input takes more processor time than it may");
    if (heap_used() == before || trapped) return;
    fprintf(stderr, "a job left %zd bytes behind\n", (ssize_t)(heap_used() - before));
    abort();
  }
};

// Every byte must be the module's or the target's to read.
inline void look_at(const void *from, size_t bytes) {
  if (__asan_region_is_poisoned(const_cast<void *>(from), bytes)) wrong("bytes that were never allocated");
}

// The file that an input begins with; parameters of what is done to it are left.
inline Bytes file(Input &input) {
  const size_t parameters = 32, held = input.remaining_bytes();
  return input.ConsumeBytes<uint8_t>(held > parameters ? held - parameters : 0);
}

// Byte `at` of a picture that repeats `bytes`; of a gradient where there are none.
inline uint8_t repeated(const Bytes &bytes, size_t at) {
  return bytes.empty() ? (uint8_t)(at * at >> 7) : bytes[at % bytes.size()];
}

// Fills `count` bytes with what is left of the input, over and over; with a gradient where nothing is left.
inline void fill(Input &input, uint8_t *to, size_t count) {
  const auto bytes = input.ConsumeRemainingBytes<uint8_t>();
  for (size_t i = 0; i < count; i++) to[i] = bytes.empty() ? (uint8_t)(i * 7 >> 2) : bytes[i % bytes.size()];
}

}  // namespace host

extern "C" {
__attribute__((noreturn)) void fail(const char *text);
int breathe_work(int work);
void breathe_pause(void);
}
