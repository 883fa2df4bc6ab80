// Pixels into a file of which chroma is halved both ways, a row of MCUs at a time: chroma is coded first, and luma makes up
// for all that a decoder will miss of the colors' brightness, by halving and by coarse divisors. At equal score of
// SSIMULACRA 2 photographs get 2 % smaller than where it makes up for halving alone.
#pragma once
#include "../halved.h"

enum { CODED_PAIRS = 16 };         // of rows of pixels that are kept: as many as two rows of MCUs have

struct coded {
  struct halved at;                // where halved.c is at work: its rows lie in those below
  uint8_t *pixels;                 // RGBA
  int16_t *chroma;                 // as in `struct halved`: once coded, what a decoder will have of it
};

// Who codes. The planes of chroma are those of a row of MCUs, eight rows of half of the columns each; coding puts into their
// place what a decoder will have. Luma is complete once chroma of the next row of MCUs is coded.
struct coding {
  void (*code)(void *coder, uint32_t unit, uint8_t *chroma[2]);
  void (*write)(void *coder, uint8_t *luma);
  void *coder;
};

void coded_start(struct coded *coded, uint32_t width, uint32_t height);
void coded_free(struct coded *coded);
// Takes the next row of RGBA.
void coded_take(struct coded *coded, const uint8_t *row, const struct coding *by);
