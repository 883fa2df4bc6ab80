// What the parts of this module share: imports, errors, input and output.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "../native.h"
#include "jpeglib.h"

#ifdef __cplusplus
extern "C" {
#endif

// Copies the next bytes of input `source` to `to`, at most `capacity`; 0 at the end.
size_t IMPORT(pull)(int source, uint8_t *to, size_t capacity);
// Appends bytes to output `sink`.
void IMPORT(push)(int sink, const uint8_t *from, size_t length);

// error.c: every error is fatal; a warning that means damaged pixels is an error too.
struct jpeg_error_mgr *error_manager(struct jpeg_error_mgr *errors);
// From now on warnings of damaged pixels are no errors.
void show_damage(struct jpeg_error_mgr *errors);
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
// Fails where a component has no tables: no scan of a file of several is about it.
void require_components(j_decompress_ptr jpeg);

#ifdef __cplusplus
}
#endif
