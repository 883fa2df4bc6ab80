// The levels of a block of four by four, by a trellis: those that libwebp's own finds (TrellisQuantizeBlock), in less
// time. All that does not depend on other coefficients is computed for all of them at once, and no coefficient is looked
// at behind the last one that may have a level at all; most blocks of photographs have few of those. Included by modes.c
// behind quant_enc.c, whose tables it takes.
#ifndef TRELLIS_H_
#define TRELLIS_H_

// What each coefficient may be: rounded down or, where that is nearer, up.
typedef struct {
  int32_t down[16], most[16];             // the level rounded down, and the highest one
  int32_t down_error[16], up_error[16];   // the distortion at both levels, less that at level 0
} Choices;

// A level of the coefficient that was looked at last, and the cheapest way there.
typedef struct {
  score_t score;
  const uint16_t *costs; // of the next level
  int is_dead;
} Way;

static inline void choices_of(const int16_t in[16], const VP8Matrix *matrix, Choices *choices) {
  for (int at = 0; at < 16; at++) {
    const uint32_t size = (uint32_t)(in[at] < 0 ? -in[at] : in[at]) + matrix->sharpen[at];
    const uint32_t scaled = size * matrix->iq[at], step = matrix->q[at], weight = kWeightTrellis[at];
    const uint32_t down = scaled >> QFIX, most = (scaled + BIAS(0x80)) >> QFIX;
    choices->down[at] = down > MAX_LEVEL ? MAX_LEVEL : down;
    choices->most[at] = most > MAX_LEVEL ? MAX_LEVEL : most;
    const uint32_t left = size - choices->down[at] * step, over = left - step;
    choices->down_error[at] = (int32_t)(weight * (left * left - size * size));
    choices->up_error[at] = (int32_t)(weight * (over * over - size * size));
  }
}

// Where to end: behind the last coefficient that is not small, at one that may have a level; before the first where none may.
static inline int last_of(const int16_t in[16], const VP8Matrix *matrix, const Choices *choices, int first) {
  const int small = matrix->q[1] * matrix->q[1] / 4;
  int last = 15;
  while (last >= first && in[kZigzag[last]] * in[kZigzag[last]] <= small) last--;
  if (last < 15) last++;
  while (last >= first && choices->most[kZigzag[last]] == 0) last--;
  return last;
}

// The cheapest way to a level, from either one of the coefficient before; tells whether that is the one rounded up.
static inline int arrive(const Way ways[2], int level, int lambda, score_t *score) {
  *score = ways[0].score + RDScoreTrellis(lambda, VP8LevelCost(ways[0].costs, level), 0);
  if (ways[1].is_dead) return 0;
  const score_t other = ways[1].score + RDScoreTrellis(lambda, VP8LevelCost(ways[1].costs, level), 0);
  if (other >= *score) return 0;
  *score = other;
  return 1;
}

// Quantizes a block, and leaves its coefficients as they will be decoded. Returns whether a level is not 0. The mean is left
// as it is in a block of a macroblock that is predicted as a whole.
static inline int quantize_by_trellis(const VP8Encoder *encoder, int type, int16_t in[16], int16_t levels[16], int context,
                                      const VP8Matrix *matrix, int lambda) {
  const ProbaArray *const probas = encoder->proba.coeffs[type];
  const CostArrayPtr costs = (CostArrayPtr)encoder->proba.remapped_costs[type];
  const int first = type == TYPE_I16_AC ? 1 : 0;
  Choices choices;
  choices_of(in, matrix, &choices);
  const int last = last_of(in, matrix, &choices, first);
  const int first_proba = probas[VP8EncBands[first]][context][0];
  score_t best_score = RDScoreTrellis(lambda, VP8BitCost(0, first_proba), 0);
  const score_t start = RDScoreTrellis(lambda, context == 0 ? VP8BitCost(1, first_proba) : 0, 0);
  Way ways[2] = {{start, costs[first][context], 0}, {0, NULL, 1}};
  uint8_t from_up[16][2];
  int end = -1, is_up = 0, any = 0;
  for (int n = first; n <= last; n++) {
    const int at = kZigzag[n], down = choices.down[at], count = choices.most[at] > down ? 2 : 1;
    Way next[2] = {{0, NULL, 0}, {0, NULL, 1}};
    for (int up = 0; up < count; up++) {
      const int level = down + up, following = level > 2 ? 2 : level;
      Way *const way = &next[up];
      from_up[n][up] = arrive(ways, level, lambda, &way->score);
      way->score += RDScoreTrellis(lambda, 0, up ? choices.up_error[at] : choices.down_error[at]);
      way->is_dead = 0;
      way->costs = n < 15 ? costs[n + 1][following] : NULL;
      if (level == 0 || way->score >= best_score) continue;
      const score_t rate = n < 15 ? VP8BitCost(0, probas[VP8EncBands[n + 1]][following][0]) : 0;
      const score_t score = way->score + RDScoreTrellis(lambda, rate, 0);
      if (score < best_score) best_score = score, end = n, is_up = up;
    }
    ways[0] = next[0], ways[1] = next[1];
  }
  memset(levels + first, 0, (16 - first) * sizeof(*levels));
  if (end < 0) {
    memset(in + first, 0, (16 - first) * sizeof(*in));
    return 0;
  }
  for (int n = 15; n >= first; n--) {
    const int at = kZigzag[n], is_negative = in[at] < 0;
    in[at] = 0;
    if (n > end) continue;
    const int level = choices.down[at] + is_up;
    is_up = from_up[n][is_up];
    levels[n] = is_negative ? -level : level;
    in[at] = levels[n] * matrix->q[at];
    any |= level;
  }
  return any != 0;
}

#endif
