// What the parts of this module share: exports, imports, errors, input and output.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include "jpeglib.h"

#ifdef __cplusplus
extern "C" {
#endif

#define EXPORT(name) __attribute__((used, export_name(name)))
#define IMPORT(name) __attribute__((import_module("env"), import_name(name)))

// Throws through the frames of this module; the caller restores the stack pointer and closes the handle.
IMPORT("fail") _Noreturn void fail(const char *text);
// Copies the next bytes of input `source` to `to`, at most `capacity`; 0 at the end.
IMPORT("pull") size_t pull(int source, uint8_t *to, size_t capacity);
// Appends bytes to output `sink`.
IMPORT("push") void push(int sink, const uint8_t *from, size_t length);

// error.c: every error is fatal; a warning that means damaged pixels is an error too.
struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *errors);
void *allocate(size_t bytes);  // zeroed, or fails

// source.c: non-suspending input.
enum { INPUT_BYTES = 32768 };
struct input {
  struct jpeg_source_mgr manager;
  int source;
  int ended;  // the input ran out before the end-of-image marker
  uint8_t buffer[INPUT_BYTES];
};
void input_attach(j_decompress_ptr jpeg, struct input *input, int source);
// Fails when what was read so far ended without an end-of-image marker and cannot be known to be whole.
void input_require_complete(j_decompress_ptr jpeg, const struct input *input);

#ifdef __cplusplus
}
#endif
