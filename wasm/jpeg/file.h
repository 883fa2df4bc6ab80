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

void file_write(const struct packed *store, const struct file_options *options, struct output *out);
