// The nearest color of a palette. By the triangle inequality no color can be nearer to a point than a known one that
// is twice as far from the known one as the point is (Elkan, "Using the triangle inequality to accelerate k-means",
// 2003).
#include "quantize.h"

// Sorts every color's neighbors by distance (D. Shell, "A high-speed sorting procedure", 1959); in a single pass where
// they are sorted nearly already.
void palette_index(Palette *p) {
  static const int gaps[] = {57, 23, 10, 4, 1};
  for (int i = 0; i < p->count; i++) {
    float *const apart = p->apart[i];
    uint8_t *const order = p->order[i];
    for (int k = 0; k < p->count; k++) {
      if (!p->sorted) order[k] = (uint8_t)k;
      apart[k] = order[k] == i ? -1 : distance(p->color[i], p->color[order[k]]);
    }
    for (int step = p->sorted ? 4 : 0; step < 5; step++) {
      const int gap = gaps[step];
      for (int k = gap; k < p->count; k++) {
        const float d = apart[k];
        const uint8_t other = order[k];
        int at = k;
        for (; at >= gap && apart[at - gap] > d; at -= gap)
          apart[at] = apart[at - gap], order[at] = order[at - gap];
        apart[at] = d;
        order[at] = other;
      }
    }
  }
  p->sorted = 1;
}

int palette_nearest(const Palette *p, Color color, int guess, float *squared) {
  float best = distance(color, p->color[guess]);
  int from = guess, found = guess;
  for (;;) {
    const float limit = best * 4;
    const float *const apart = p->apart[from];
    const uint8_t *const order = p->order[from];
    for (int k = 1; k < p->count && apart[k] < limit; k++) {
      const float d = distance(color, p->color[order[k]]);
      if (d >= best) continue;
      best = d;
      found = order[k];
      // much nearer: its own neighbors are a shorter list
      if (d * 16 < limit) break;
    }
    if (found == from || best * 16 >= limit) break;
    from = found;
  }
  *squared = best;
  return found;
}
