// Palette indices to GIF image data: LZW that may choose. Where a pixel may have either of two indices (its color or
// transparent, in an animation) or may look slightly different (lossy), the longest string of the table that is
// acceptable is taken instead of the exact one.
#include "write-table.h"

// Takes bytes of the result; they are copied at once.
void IMPORT_AS(write_bytes, write)(const uint8_t *bytes, int count);

// Codes over which the yield of a full table is watched.
enum { RATE_CODES = 512 };

void EXPORT(writer_close)(Writer *w) {
  free(w->indices);
  free(w->others);
  free(w);
}

// A writer of pictures of at most `pixels` pixels; 0 when memory does not suffice. With `choice` there is a second map.
Writer *EXPORT(writer_open)(int pixels, int choice) {
  Writer *const w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->indices = malloc((size_t)pixels + 1);
  if (choice) w->others = malloc((size_t)pixels + 1);
  if (w->indices && (w->others || !choice)) return w;
  writer_close(w);
  return NULL;
}

uint8_t *EXPORT(writer_indices)(Writer *w) { return w->indices; }
// For every pixel another index that it may have instead, or its own.
uint8_t *EXPORT(writer_others)(Writer *w) { return w->others; }

// ---- bits, in sub-blocks of at most 255 bytes ----

static void put_byte(Writer *w, int byte) {
  if (w->output[w->block] == 255) {
    if (w->made > OUTPUT_BYTES - 300) {
      write_bytes(w->output, w->made);
      w->made = 0;
    }
    w->block = w->made;
    w->output[w->made++] = 0;
  }
  w->output[w->block]++;
  w->output[w->made++] = (uint8_t)byte;
}

static void put_code(Writer *w, int code) {
  w->bits |= (uint32_t)code << w->bit_count;
  for (w->bit_count += w->size; w->bit_count >= 8; w->bit_count -= 8) {
    put_byte(w, (int)(w->bits & 255));
    w->bits >>= 8;
  }
}

// The pixels as the string of a code has them, for whoever has to know what is seen.
static void keep_choice(Writer *w, size_t at) {
  int code = w->best_code;
  for (size_t i = w->best_length; i-- > 1; code = w->prefix[code]) w->indices[at + i] = w->value[code];
  w->indices[at] = (uint8_t)code;
}

// Colors, three floats each, in a space where distances are alike; `transparent` is an index or -1.
float *EXPORT(writer_colors)(Writer *w) { return &w->color[0][0]; }

// Clears a full table that no longer yields what it did.
static void watch_table(Writer *w) {
  const float grown = (float)(w->watched_from - w->growing_from) / (float)w->growing_codes;
  const int is_due = w->watched_codes >= RATE_CODES;
  const int tired = is_due && (float)(w->at - w->watched_from) < w->patience * grown * RATE_CODES;
  if (is_due) w->watched_from = w->at, w->watched_codes = 0;
  if (!tired && w->patience > 0) return;
  put_code(w, 1 << w->min_size);
  clear_table(w);
  w->previous = -1;
  w->growing_from = w->at;
  w->growing_codes = 0;
}

// Writes the code of the next string.
static void put_string(Writer *w) {
  if (w->next == CODES) watch_table(w);
  writer_match(w, w->at, w->previous);
  if (w->next > 1 << w->size && w->size < MAX_BITS) w->size++;
  put_code(w, w->best_code);
  if (w->choosy) keep_choice(w, w->at);
  w->previous = w->best_code;
  w->at += w->best_length;
  if (w->next < CODES) {
    w->growing_codes++;
    w->watched_from = w->at;
    w->watched_codes = 0;
  } else {
    w->watched_codes++;
  }
}

static void put_end(Writer *w) {
  // the decoder makes one more entry, which may take it to longer codes
  if (w->next == 1 << w->size && w->size < MAX_BITS) w->size++;
  put_code(w, (1 << w->min_size) + 1);
  if (w->bit_count > 0) put_byte(w, (int)(w->bits & 255));
  if (w->output[w->block] != 0) w->output[w->made++] = 0;
  write_bytes(w->output, w->made);
}

// Begins to write the first `count` indices as image data: the code size, sub-blocks, the terminator. Every index is
// below 2^min_size. `patience`: a full table is kept while it yields at least this share of the pixels per code that it
// yielded while it grew; 0 clears it at once. `tolerance`: how far a pixel may be from its color; above 0 the indices
// are changed to what was written.
void EXPORT(writer_start)(Writer *w, int count, int min_size, float patience, int colors, int transparent,
                          float tolerance) {
  w->min_size = min_size;
  w->patience = patience;
  w->colors = colors;
  w->transparent = transparent;
  w->tolerance = tolerance * tolerance;
  w->lossy = tolerance > 0;
  w->choosy = w->lossy || w->others != NULL;
  w->at = w->growing_from = w->watched_from = 0;
  w->growing_codes = w->watched_codes = 0;
  w->previous = -1;
  w->end = (size_t)count;
  w->made = 0;
  w->bits = 0;
  w->bit_count = 0;
  w->output[w->made++] = (uint8_t)min_size;
  w->block = w->made;
  w->output[w->made++] = 0;
  clear_table(w);
  put_code(w, 1 << min_size);
}

// Goes on for about `pixels` indices. 1 when all is written.
int EXPORT(writer_encode)(Writer *w, int pixels) {
  const size_t stop = MIN(w->end, w->at + (size_t)pixels);
  while (w->at < stop) put_string(w);
  if (w->at < w->end) return 0;
  put_end(w);
  return 1;
}
