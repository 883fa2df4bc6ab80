// Palette indices to GIF image data: LZW that may choose. Where a pixel may have either of two indices (its color or
// transparent, in an animation) or may look slightly different (lossy), the longest string of the table that is
// acceptable is taken instead of the exact one.
#include "gif.h"

// Takes bytes of the result; they are copied at once.
__attribute__((import_module("env"), import_name("write"))) void write_bytes(const uint8_t *bytes, int count);

enum {
  OUTPUT_BYTES = 65536,
  SLOTS = 1 << 14,
  BRANCHES = 64,          // alternatives remembered while a string is looked for
  FREE_VISITS = 64,       // nodes that may be tried for a code,
  VISITS_PER_PIXEL = 16,  // and for each pixel of its string
  RATE_CODES = 512,       // codes over which the yield of a full table is watched
};

typedef struct {
  float error[3];  // what earlier substitutions of this string owe, carried from pixel to pixel
} Debt;

typedef struct {
  int code;
  size_t length;
  Debt debt;
  float cost;
} Branch;

typedef struct {
  uint8_t *indices, *others;
  uint8_t output[OUTPUT_BYTES];
  int made, block;  // `block`: where the length of the open sub-block is
  uint32_t bits;
  int bit_count;
  // the table: a hash for exact strings, lists of children for choices
  uint32_t slot[SLOTS];
  uint16_t prefix[CODES], child[CODES], sibling[CODES];
  uint8_t value[CODES];
  uint32_t added;  // the slot used last
  int size, min_size, next;
  // the choice
  float color[256][3];
  int colors, transparent;
  float tolerance;  // squared
  int lossy, choosy;
  int visits, best_code;
  size_t best_length;
  float best_cost;
  // the way through the indices: where the next code begins and where they end
  size_t at, end;
  int previous;  // the code before, or -1
  // how well a full table does: see `patience`
  float patience;
  size_t growing_from, watched_from;
  int growing_codes, watched_codes;
} Writer;

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

// ---- the table ----

static uint32_t hash_of(uint32_t key) { return key * 2654435761u >> 18; }

static int find(const Writer *w, int prefix, int value) {
  const uint32_t key = (uint32_t)prefix << 8 | (uint32_t)value;
  for (uint32_t at = hash_of(key); w->slot[at]; at = (at + 1) & (SLOTS - 1))
    if (w->slot[at] >> 12 == key) return (int)(w->slot[at] & (CODES - 1));
  return -1;
}

static void add(Writer *w, int prefix, int value) {
  const uint32_t key = (uint32_t)prefix << 8 | (uint32_t)value;
  uint32_t at = hash_of(key);
  while (w->slot[at]) at = (at + 1) & (SLOTS - 1);
  w->slot[at] = key << 12 | (uint32_t)w->next;
  w->added = at;
  w->prefix[w->next] = (uint16_t)prefix;
  w->value[w->next] = (uint8_t)value;
  w->child[w->next] = 0;
  w->sibling[w->next] = w->child[prefix];
  w->child[prefix] = (uint16_t)w->next;
  w->next++;
}

// Takes back what was added last.
static void take_back(Writer *w) {
  w->next--;
  w->slot[w->added] = 0;
  w->child[w->prefix[w->next]] = w->sibling[w->next];
}

static void clear_table(Writer *w) {
  memset(w->slot, 0, sizeof w->slot);
  memset(w->child, 0, sizeof(uint16_t) << w->min_size);
  w->size = w->min_size + 1;
  w->next = (1 << w->min_size) + 2;
}

// ---- matching ----

// The longest string of the table that the pixels from `at` on are, exactly.
static void match_exactly(Writer *w, size_t at) {
  int code = w->indices[at];
  size_t length = 1;
  for (; at + length < w->end; length++) {
    const int longer = find(w, code, w->indices[at + length]);
    if (longer < 0) break;
    code = longer;
  }
  w->best_code = code;
  w->best_length = length;
}

// Whether `value` may stand for the pixel at `at`; changes the debt as the choice does.
static int acceptable(const Writer *w, size_t at, int value, Debt *debt, float *cost) {
  const int index = w->indices[at];
  if (w->others && w->others[at] != index) return value == index || value == w->others[at];
  const int even = debt->error[0] == 0 && debt->error[1] == 0 && debt->error[2] == 0;
  if (value == index && (!w->lossy || even)) return 1;
  if (!w->lossy || value >= w->colors || value == w->transparent || index == w->transparent) return value == index;
  float sum = 0, own = 0, error[3];
  for (int i = 0; i < 3; i++) {
    const float plain = w->color[index][i] - w->color[value][i];
    error[i] = plain + debt->error[i];
    sum += error[i] * error[i];
    own += plain * plain;
  }
  if (value != index && (own > w->tolerance * 2 || sum > w->tolerance)) return 0;
  for (int i = 0; i < 3; i++) debt->error[i] = error[i] * 0.5f;
  *cost += own;
  return 1;
}

// Walks the table along the pixels from `at` on: the exact string to its end, then the alternatives that were passed,
// the last ones first. What may be tried grows with the pixels that are matched, so time stays linear in them.
static void search(Writer *w, size_t at, int code) {
  Branch branch[BRANCHES], now = {code, 1, {{0, 0, 0}}, 0};
  size_t from = 0, to = 0;
  for (;;) {
    for (;;) {
      if (now.length > w->best_length || (now.length == w->best_length && now.cost < w->best_cost)) {
        w->best_code = now.code;
        w->best_length = now.length;
        w->best_cost = now.cost;
      }
      const size_t here = at + now.length;
      if (here >= w->end) break;
      const int exact = find(w, now.code, w->indices[here]);
      const int most = FREE_VISITS + VISITS_PER_PIXEL * (int)w->best_length;
      for (int child = w->child[now.code]; child && w->visits < most; child = w->sibling[child], w->visits++) {
        if (child == exact) continue;
        Branch other = {child, now.length + 1, now.debt, now.cost};
        if (!acceptable(w, here, w->value[child], &other.debt, &other.cost)) continue;
        branch[to++ % BRANCHES] = other;
        if (to - from > BRANCHES) from++;
      }
      if (exact < 0 || !acceptable(w, here, w->value[exact], &now.debt, &now.cost)) break;
      now.code = exact;
      now.length++;
    }
    if (from == to) return;
    now = branch[--to % BRANCHES];
  }
}

// Finds the string that begins at `at`. `previous` is the code before it, or -1: with the first pixel of this string it
// becomes an entry of the table, if there is room, and that entry may already be the string.
static void match(Writer *w, size_t at, int previous) {
  const int grows = previous >= 0 && w->next < CODES;
  const int index = w->indices[at];
  if (grows) add(w, previous, index);
  if (!w->choosy) {
    match_exactly(w, at);
    return;
  }
  w->visits = 0;
  w->best_length = 0;
  w->best_cost = 0;
  search(w, at, index);
  const int other = w->others ? w->others[at] : index;
  if (other == index) return;
  const size_t length = w->best_length;
  if (grows) {
    take_back(w);
    add(w, previous, other);
  }
  search(w, at, other);
  if (!grows || w->best_length > length) return;
  take_back(w);
  add(w, previous, index);
}

// The pixels as the string of a code has them, for whoever has to know what is seen.
static void keep_choice(Writer *w, size_t at) {
  int code = w->best_code;
  for (size_t i = w->best_length; i-- > 1; code = w->prefix[code]) w->indices[at + i] = w->value[code];
  w->indices[at] = (uint8_t)code;
}

// ---- API ----

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
  match(w, w->at, w->previous);
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
