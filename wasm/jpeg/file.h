// A JPEG file from packed coefficients.
#pragma once
#include "output.h"
#include "packed.h"
#include "script.h"

enum color_marker { MARKER_NONE, MARKER_JFIF, MARKER_ADOBE_RGB, MARKER_ADOBE_CMYK, MARKER_ADOBE_YCCK };

struct file_options {
  int progressive;
  enum color_marker marker;
  const uint8_t *profile;   // ICC, or null
  size_t profile_length;
};

// What comes before the first scan, and before the data of each, which can be fed then.
void file_begin(const struct packed *store, const struct file_options *options, struct output *out);
void file_begin_scan(const struct packed *store, struct script_scan *scan, struct output *out);
void file_end(struct output *out);

// A file that is written in pieces.
enum file_stage { FILE_LOOK, FILE_COUNT, FILE_SCANS };
struct file_writer {
  struct packed store;
  struct file_options options;
  struct output *out;
  struct script script;
  enum file_stage stage;
  int scan;                 // that is being written, and
  uint32_t unit, units;     // how far the stage or the scan got, in rows of interleaved MCUs
};

// The store, and what the options point to, must stay as they are until the file is written.
void file_start(struct file_writer *file, const struct packed *store, const struct file_options *options,
                struct output *out);
// Does about `blocks` blocks of the work: a block counts once for each scan. Returns whether there is more.
int file_step(struct file_writer *file, uint32_t blocks);
void file_free(struct file_writer *file);
