// What the parts of this module share: exports, imports, the open file and how its samples become pixels.
#pragma once
#include <stddef.h>
#include <stdint.h>
#include "../native.h"
#include "tiffio.h"

// Throws through the frames of this module; the caller restores the stack pointer and closes the handle.
__attribute__((import_module("env"), import_name("fail"))) _Noreturn void tiff_fail(const char *text);
// Copies `length` bytes from place `from` of input `source`; returns how many there were.
__attribute__((import_module("env"), import_name("pull"))) uint32_t pull(int source, uint32_t from, void *to, uint32_t length);

// What the binding has words for: samples that no rule says how to show, or that were left out of this module.
#define UNSUPPORTED "not supported"

// Why the pixels cannot be trusted; NULL while they can. libtiff and libjpeg go on after most errors.
extern const char *damage;

enum { MAX_PLANES = 5, BAND_ROWS = 16 };
enum alpha { ALPHA_NONE, ALPHA_STRAIGHT, ALPHA_PREMULTIPLIED };
// The numbers are shared with reader.ts.
enum output { OUTPUT_RGBA, OUTPUT_CMYK, OUTPUT_DEEP };
enum way { BY_SCANLINE, BY_TILE, BY_LIBTIFF };

// How samples are stored.
struct layout {
  uint32_t width;
  uint16_t bits;
  uint16_t samples;      // per pixel
  uint16_t colors;       // of these, without extra samples
  uint16_t photometric;
  uint16_t format;       // SAMPLEFORMAT_*
  uint16_t alpha;        // enum alpha; the sample after the colors
  uint16_t output;       // enum output
  const uint8_t *band;   // of rows that are converted; and alpha of pixels that are full of inks, a byte each, or NULL
  uint8_t *alphas;
  uint8_t palette[256][4];
};

// Where the samples of the next row begin: in one buffer, or one for each sample.
struct row {
  const uint8_t *planes[MAX_PLANES];
  uint32_t first;  // pixel within the buffers
  uint32_t count;
  uint8_t separate;
};

// platform.c: what libtiff allocates from now on belongs to this list; and the end of all that is still in one.
struct holding;
void holdings_use(struct holding **first);
void holdings_free(struct holding **first);
// source.c: the file that `pull` reads from, in which libtiff may hold `most` bytes of memory; NULL when it is none.
TIFF *source_open(int source, uint32_t size, uint32_t most);
// layout.c: a field of 16 bits, or its default; and the first picture's layout, which fails where no rule says what its
// samples mean. Pictures that are read by scanline may have to be read by tile.
uint16_t tiff_field(TIFF *file, uint32_t tag);
enum way layout_read(TIFF *file, struct layout *layout);
// samples.c: samples as 8 bits each (palette indices as they are), as 16 bits four places apart, or as numbers.
void samples_unpack(const struct layout *layout, const struct row *row, uint16_t sample, uint8_t *to);
void samples_unpack_deep(const struct layout *layout, const struct row *row, uint16_t sample, uint16_t *to);
float sample_number(const struct layout *layout, const struct row *row, uint16_t sample, uint32_t pixel);
// color.c: bits of a sample that rows of RGBA16 hold of a picture, more than 8; 0 where it has none for them.
uint32_t deep_bits(const struct layout *layout, enum way way);
// A row as RGBA8 or RGBA16, or as CMYK. `scratch` has one row of samples for each plane.
void row_convert(const struct layout *layout, const struct row *row, uint8_t *scratch, uint8_t *to);
