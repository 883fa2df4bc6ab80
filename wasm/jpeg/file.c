#include "file.h"
#include <stdlib.h>

enum { PROFILE_PIECE = 65533 - 14 };

static void put_marker(struct output *out, int code, int length) {
  put_byte(out, 0xFF);
  put_byte(out, code);
  if (length) put_word(out, length);
}

static void put_color_marker(struct output *out, enum color_marker marker) {
  static const uint8_t jfif[] = {'J', 'F', 'I', 'F', 0, 1, 1, 0, 0, 1, 0, 1, 0, 0};
  static const uint8_t adobe[] = {'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0};
  if (marker == MARKER_JFIF) {
    put_marker(out, 0xE0, 2 + sizeof jfif);
    put_bytes(out, jfif, sizeof jfif);
  } else if (marker != MARKER_NONE) {
    put_marker(out, 0xEE, 2 + sizeof adobe + 1);
    put_bytes(out, adobe, sizeof adobe);
    put_byte(out, marker == MARKER_ADOBE_YCCK ? 2 : 0);
  }
}

static void put_profile(struct output *out, const uint8_t *profile, size_t length) {
  const int pieces = (length + PROFILE_PIECE - 1) / PROFILE_PIECE;
  for (int i = 0; i < pieces; i++) {
    const size_t rest = length - (size_t)i * PROFILE_PIECE, piece = rest < PROFILE_PIECE ? rest : PROFILE_PIECE;
    put_marker(out, 0xE2, 2 + 14 + piece);
    put_bytes(out, (const uint8_t *)"ICC_PROFILE", 12);
    put_byte(out, i + 1);
    put_byte(out, pieces);
    put_bytes(out, profile + (size_t)i * PROFILE_PIECE, piece);
  }
}

static void put_tables(const struct packed *store, struct output *out) {
  for (int t = 0; t < 4; t++) {
    if (!(store->used_tables >> t & 1)) continue;
    int wide = 0;
    for (int i = 0; i < 64; i++) wide |= store->divisors[t][i] > 255;
    put_marker(out, 0xDB, 2 + 1 + 64 * (1 + wide));
    put_byte(out, wide << 4 | t);
    for (int k = 0; k < 64; k++) {
      const int divisor = store->divisors[t][natural_position[k]];
      if (wide) put_byte(out, divisor >> 8);
      put_byte(out, divisor);
    }
  }
}

static int fits_baseline(const struct packed *store) {
  for (int t = 0; t < 4; t++)
    for (int i = 0; i < 64; i++)
      if (store->used_tables >> t & 1 && store->divisors[t][i] > 255) return 0;
  return 1;
}

static void put_frame(const struct packed *store, int progressive, struct output *out) {
  put_marker(out, progressive ? 0xC2 : fits_baseline(store) ? 0xC0 : 0xC1, 8 + 3 * store->components);
  put_byte(out, 8);
  put_word(out, store->height);
  put_word(out, store->width);
  put_byte(out, store->components);
  for (int c = 0; c < store->components; c++) {
    const struct packed_component *component = &store->component[c];
    put_byte(out, component->id);
    put_byte(out, component->h << 4 | component->v);
    put_byte(out, component->table);
  }
}

static void put_huffman(const struct huffman *table, int class, int slot, struct output *out) {
  int count = 0;
  for (int length = 1; length <= 16; length++) count += table->lengths[length];
  put_marker(out, 0xC4, 2 + 1 + 16 + count);
  put_byte(out, class << 4 | slot);
  put_bytes(out, table->lengths + 1, 16);
  put_bytes(out, table->values, count);
}

void file_begin_scan(const struct packed *store, struct script_scan *s, struct output *out) {
  const struct scan *scan = &s->scan;
  int used[2][2] = {{0}};
  for (int i = 0; i < scan->components; i++) {
    const int slot = scan_slot(scan->component[i]);
    used[0][slot] |= scan->first == 0 && !scan->high;
    used[1][slot] |= scan->last > 0;
  }
  for (int class = 0; class < 2; class++)
    for (int slot = 0; slot < 2; slot++)
      if (used[class][slot]) put_huffman(&s->tables.table[class][slot], class, slot, out);
  put_marker(out, 0xDA, 6 + 2 * scan->components);
  put_byte(out, scan->components);
  for (int i = 0; i < scan->components; i++) {
    const int slot = scan_slot(scan->component[i]);
    put_byte(out, store->component[scan->component[i]].id);
    put_byte(out, (used[0][slot] ? slot << 4 : 0) | (used[1][slot] ? slot : 0));
  }
  put_byte(out, scan->first);
  put_byte(out, scan->last);
  put_byte(out, scan->high << 4 | scan->low);
  scan_start(&s->coder, scan, &s->tables, out);
}

void file_begin(const struct packed *store, const struct file_options *options, struct output *out) {
  put_marker(out, 0xD8, 0);
  put_color_marker(out, options->marker);
  if (options->profile) put_profile(out, options->profile, options->profile_length);
  put_tables(store, out);
  put_frame(store, options->progressive, out);
}

void file_end(struct output *out) {
  put_marker(out, 0xD9, 0);
  output_flush(out);
}

void file_start(struct file_writer *file, const struct packed *store, const struct file_options *options,
                struct output *out) {
  file->store = *store;
  file->options = *options;
  file->out = out;
  file->units = (store->height + 8 * store->max_v - 1) / (8 * store->max_v);
  file->stage = FILE_LOOK;
  if (options->progressive) return;
  script_start(&file->script, store, 0);
  file->stage = FILE_COUNT;
}

// Blocks that a row of interleaved MCUs has in the current stage, over all scans.
static uint32_t unit_blocks(const struct file_writer *file) {
  const struct packed *store = &file->store;
  uint32_t blocks = 0;
  for (int i = 0; i < file->script.count; i++) {
    const struct scan *scan = &file->script.scans[i]->scan;
    if (file->stage == FILE_SCANS && i != file->scan) continue;
    for (int k = 0; k < scan->components; k++)
      blocks += store->component[scan->component[k]].width * store->component[scan->component[k]].v;
  }
  // Looking at blocks takes a fraction of what coding them does.
  return blocks ? blocks : packed_units_across(store);
}

static void begin_scans(struct file_writer *file) {
  script_choose(&file->script, 0);
  file_begin(&file->store, &file->options, file->out);
  file_begin_scan(&file->store, file->script.scans[0], file->out);
  file->stage = FILE_SCANS;
}

// Returns whether there is a scan behind the current one.
static int next_scan(struct file_writer *file) {
  scan_end(&file->script.scans[file->scan]->coder);
  if (++file->scan < file->script.count) {
    file_begin_scan(&file->store, file->script.scans[file->scan], file->out);
    return 1;
  }
  file_end(file->out);
  return 0;
}

int file_step(struct file_writer *file, uint32_t blocks) {
  const uint32_t most = 1 + blocks / unit_blocks(file), left = file->units - file->unit;
  const uint32_t first = file->unit, end = first + (most < left ? most : left);
  if (file->stage == FILE_LOOK) script_look(&file->script, &file->store, first, end);
  else if (file->stage == FILE_COUNT) script_feed(&file->script, &file->store, first, end);
  else scan_feed(&file->script.scans[file->scan]->coder, &file->store, first, end);
  file->unit = end;
  if (end < file->units) return 1;
  file->unit = 0;
  if (file->stage == FILE_SCANS) return next_scan(file);
  if (file->stage == FILE_COUNT) {
    begin_scans(file);
  } else {
    script_start(&file->script, &file->store, 1);
    file->stage = FILE_COUNT;
  }
  return 1;
}

void file_free(struct file_writer *file) { script_free(&file->script); }
