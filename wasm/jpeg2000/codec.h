// What the parts of this module share.
#pragma once
#define OPJ_SKIP_POISON
#include "../native.h"
#include "opj_includes.h"

// Copies `length` bytes from place `from` of input `source`; returns how many there were.
uint32_t IMPORT(pull)(int source, uint32_t from, void *to, uint32_t length);
// Takes the next bytes of the codestream that output `sink` is.
void IMPORT_AS(write_piece, write)(int sink, const void *from, uint32_t length);

// OpenJPEG's messages are not looked at: what it returns says enough.
extern opj_event_mgr_t events;

// breaths.c: whether a packet that the codestream must have was not there, since this was asked last.
int packet_was_missing(void);

enum { MAX_CHANNELS = 4, MAX_PALETTE = 1024 };

enum model { MODEL_GRAY, MODEL_RGB, MODEL_YCC, MODEL_CMYK };
enum alpha { ALPHA_NONE, ALPHA_STRAIGHT, ALPHA_PREMULTIPLIED };

// How components become pixels. Shared with decoder.ts.
struct layout {
  uint32_t model;
  uint32_t inks;      // CMYK stays as it is
  uint32_t channels;  // of color: 1, 3 or 4
  uint32_t alpha;     // enum alpha
  // The component of each channel, the alpha after the colors, and its column of the palette below, or -1.
  uint32_t component[MAX_CHANNELS + 1];
  int32_t column[MAX_CHANNELS + 1];
  uint32_t entries;   // of the palette; 0 without
  // Reference grid per pixel of the result.
  uint32_t step_x, step_y;
  uint8_t palette[MAX_CHANNELS + 1][MAX_PALETTE];
};

// Four inks fill a pixel: alpha lies beside them.
static inline int has_alpha_apart(const struct layout *layout) {
  return layout->model == MODEL_CMYK && layout->alpha != ALPHA_NONE;
}

// Pixels of the reduced picture, absolute.
struct area {
  uint32_t x0, y0, x1, y1;
};

// convert.c: the pixels of `area` as RGBA (or four inks) to `to`, and alpha beside inks to `alpha`, one byte a pixel; rows of
// both are `stride` pixels apart.
void convert_area(const struct layout *layout, const opj_image_t *image, uint32_t reduce, struct area area, uint32_t *to,
                  uint8_t *alpha, uint32_t stride);
