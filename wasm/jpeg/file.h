// A JPEG file from packed coefficients.
#pragma once
#include "output.h"
#include "packed.h"
#include "scan.h"

enum color_marker { MARKER_NONE, MARKER_JFIF, MARKER_ADOBE_RGB, MARKER_ADOBE_CMYK, MARKER_ADOBE_YCCK };

struct file_options {
  int progressive;
  enum color_marker marker;
  const uint8_t *profile;   // ICC, or null
  size_t profile_length;
};

enum { SCANS_MOST = 5 * PACKED_COMPONENTS };
// The scans of a file, in their order; returns their number.
int file_scans(const struct packed *store, int progressive, struct scan scans[SCANS_MOST]);
// What comes before the first scan, and before the data of each.
void file_begin(const struct packed *store, const struct file_options *options, struct output *out);
void file_begin_scan(const struct packed *store, const struct scan *scan, const struct scan_tables *tables,
                     struct output *out);
void file_end(struct output *out);

void file_write(const struct packed *store, const struct file_options *options, struct output *out);
