// The nearest colour of a palette. By the triangle inequality no colour can be nearer to a point than a known one that
// is twice as far from the known one as the point is (Elkan, "Using the triangle inequality to accelerate k-means", 2003).
#include "quantize.h"

// Sorts the neighbours of every colour by distance; quick where they are sorted nearly already.
void palette_index(Palette* p) {
  for (int i = 0; i < p->count; i++) {
    float* const apart = p->apart[i];
    uint8_t* const order = p->order[i];
    for (int k = 0; k < p->count; k++) {
      const uint8_t other = p->sorted ? order[k] : (uint8_t)k;
      const float d = other == i ? -1 : distance(p->color[i], p->color[other]);
      int at = k;
      for (; at > 0 && apart[at - 1] > d; at--) apart[at] = apart[at - 1], order[at] = order[at - 1];
      apart[at] = d;
      order[at] = other;
    }
  }
  p->sorted = 1;
}

int palette_nearest(const Palette* p, Color color, int guess, float* squared) {
  float best = distance(color, p->color[guess]);
  int from = guess, found = guess;
  for (;;) {
    const float limit = best * 4;
    const float* const apart = p->apart[from];
    const uint8_t* const order = p->order[from];
    for (int k = 1; k < p->count && apart[k] < limit; k++) {
      const float d = distance(color, p->color[order[k]]);
      if (d >= best) continue;
      best = d;
      found = order[k];
      // much nearer: its own neighbours are a shorter list
      if (d * 16 < limit) break;
    }
    if (found == from || best * 16 >= limit) break;
    from = found;
  }
  *squared = best;
  return found;
}
