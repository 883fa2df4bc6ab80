// Which string of the table the next pixels become: the longest that they are exactly, or, where there is a choice, the
// longest that is acceptable.
#include "write-table.h"

enum {
  BRANCHES = 64,          // alternatives remembered while a string is looked for
  FREE_VISITS = 64,       // nodes that may be tried for a code,
  VISITS_PER_PIXEL = 16,  // and for each pixel of its string
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

void writer_match(Writer *w, size_t at, int previous) {
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
  const int chosen = w->best_code;
  if (grows) {
    take_back(w);
    add(w, previous, other);
  }
  search(w, at, other);
  // A string of the same length may have been better, too: the entry has to begin as what is written does.
  if (!grows || w->best_code != chosen) return;
  take_back(w);
  add(w, previous, index);
}
