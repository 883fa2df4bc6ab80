#include "streamed.h"
#include <stdlib.h>

struct streamed_scan {
  struct scan scan;
  struct scan_tables tables;
  struct scan_coder coder;
  struct output out;
};

void streamed_count(struct streamed *streamed, const struct packed *store, int progressive, int sink) {
  struct scan scans[SCANS_MOST];
  streamed->count = file_scans(store, progressive, scans);
  streamed->scans = allocate(streamed->count * sizeof *streamed->scans);
  for (int i = 0; i < streamed->count; i++) {
    struct streamed_scan *s = &streamed->scans[i];
    s->scan = scans[i];
    s->out.sink = sink + 1 + i;
    scan_start(&s->coder, &s->scan, &s->tables, NULL);
  }
}

// Any symbol may still come: DC differences of up to 15 bits, all runs and sizes.
static void count_all(struct scan_tables *tables) {
  for (int slot = 0; slot < 2; slot++) {
    for (int value = 0; value < 16; value++) tables->table[0][slot].counts[value]++;
    for (int value = 0; value < 256; value++) tables->table[1][slot].counts[value]++;
  }
}

void streamed_write(struct streamed *streamed, const struct packed *store, int sampled) {
  for (int i = 0; i < streamed->count; i++) {
    struct streamed_scan *s = &streamed->scans[i];
    scan_end(&s->coder);
    if (sampled) count_all(&s->tables);
    scan_optimize(&s->coder);
    file_begin_scan(store, &s->scan, &s->tables, &s->out);
    scan_start(&s->coder, &s->scan, &s->tables, &s->out);
  }
}

void streamed_take(struct streamed *streamed, struct packed *store, uint32_t unit) {
  for (int i = 0; i < streamed->count; i++) scan_feed(&streamed->scans[i].coder, store, unit, unit + 1);
  for (int c = 0; c < store->components; c++) {
    struct packed_component *component = &store->component[c];
    for (uint32_t y = unit * component->v; y < (unit + 1) * component->v && y < component->height; y++) {
      free(component->rows[y]);
      component->rows[y] = NULL;
    }
  }
}

void streamed_end(struct streamed *streamed) {
  for (int i = 0; i < streamed->count; i++) {
    struct streamed_scan *s = &streamed->scans[i];
    scan_end(&s->coder);
    if (i == streamed->count - 1) file_end(&s->out);
    else output_flush(&s->out);
  }
}

void streamed_free(struct streamed *streamed) { free(streamed->scans); }
