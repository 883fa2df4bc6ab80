// What is known of a file that is made smaller by its coefficients: recompress-read.c reads it, recompress.c does the
// rest.
#pragma once
#define JPEG_INTERNALS
#include "jinclude.h"
#include "native.h"
#include "file.h"
#include "packed.h"
#include "requantize.h"
#include "store.h"
#include "streamed.h"
#include "tiles.h"
#include "turn.h"

// What is being done, or was done last.
enum stage { STAGE_READ, STAGE_PACK, STAGE_TURN, STAGE_WRITE };

struct recompressor {
  struct jpeg_decompress_struct jpeg;
  struct jpeg_error_mgr errors;
  struct input input;
  struct store store;
  struct packed packed;
  struct turning turning;
  struct output out;
  struct tiles tiles;
  struct file_options options;
  uint8_t *profile;
  struct requantizer requantizer;
  struct streamed streamed;     // in use if it has scans
  enum stage stage;
  uint32_t pass, parts;         // that is being read, and windows of coefficients
  uint32_t unit;                // rows of interleaved MCUs of the window that were packed
  struct file_writer file;
};
