#include "streamed.h"
#include <stdlib.h>

void streamed_count(struct streamed *streamed, const struct packed *store, int progressive) {
  script_start(&streamed->script, store, progressive);
}

void streamed_write(struct streamed *streamed, const struct packed *store, int sampled, int sink) {
  script_choose(&streamed->script, sampled);
  streamed->outputs = allocate(streamed->script.count * sizeof *streamed->outputs);
  for (int i = 0; i < streamed->script.count; i++) {
    streamed->outputs[i].sink = sink + 1 + i;
    file_begin_scan(store, streamed->script.scans[i], &streamed->outputs[i]);
  }
}

void streamed_take(struct streamed *streamed, struct packed *store, uint32_t unit) {
  if (!streamed->outputs) script_look(&streamed->script, store, unit, unit + 1);
  script_feed(&streamed->script, store, unit, unit + 1);
  for (int c = 0; c < store->components; c++) {
    struct packed_component *component = &store->component[c];
    for (uint32_t y = unit * component->v; y < (unit + 1) * component->v && y < component->height; y++) {
      free(component->rows[y]);
      component->rows[y] = NULL;
    }
  }
}

void streamed_end(struct streamed *streamed) {
  const int last = streamed->script.count - 1;
  for (int i = 0; i <= last; i++) {
    scan_end(&streamed->script.scans[i]->coder);
    if (i == last) file_end(&streamed->outputs[i]);
    else output_flush(&streamed->outputs[i]);
  }
}

void streamed_free(struct streamed *streamed) {
  script_free(&streamed->script);
  free(streamed->outputs);
}
