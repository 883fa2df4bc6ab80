#include "divisors.h"
#include <math.h>
#include "lib/jpegli/encode.h"

// From this distance on, jpegli's divisors of low frequencies grow by a power of it between 0.5 and 0.9, that of DC in
// proportion. With a power of 0.6 for DC, too, files get 9 % (at a score of 50), 5 % (65) and 2 % (75) smaller at equal
// score of SSIMULACRA 2, of 8 photographs; of 16 drawings 6, 4 and 0 %: plains keep their colors.
static const float LINEAR = 1.5f, POWER = 0.6f;

// jpegli's tables serve butteraugli. These factors, by the sum of both frequencies up to 8 and beyond, serve SSIMULACRA 2:
// found by coordinate descent over 13 photographs (of those in test/bench/search-pictures.ts that are learned from), with
// the bits weighed as trellis.c does, they get 1.9 % smaller at equal score (at 50 and 65 as at 75; 0.7 % at 90).
enum { SUMS = 10 };
static const float FACTORS[3][SUMS] = {
  {0.74f, 0.74f, 1.1f, 1.11f, 0.99f, 0.91f, 0.91f, 0.97f, 1, 1.02f},
  {0.74f, 0.81f, 0.87f, 0.81f, 0.81f, 0.81f, 0.81f, 0.81f, 0.81f, 0.81f},
  {0.91f, 1, 1.08f, 1, 1, 1, 1, 1, 1, 1},
};

static void serve_score(JQUANT_TBL *table, const float factors[SUMS]) {
  for (int k = 0; k < DCTSIZE2; k++) {
    const int sum = k / DCTSIZE + k % DCTSIZE;
    const float divisor = roundf(table->quantval[k] * factors[sum < SUMS ? sum : SUMS - 1]);
    table->quantval[k] = fminf(255, fmaxf(1, divisor));
  }
}

void set_divisors(struct jpeg_compress_struct *jpeg, float distance) {
  jpegli_set_distance(jpeg, distance, TRUE);
  for (int t = 0; t < 3; t++)
    if (jpeg->quant_tbl_ptrs[t]) serve_score(jpeg->quant_tbl_ptrs[t], FACTORS[t]);
  if (distance <= LINEAR) return;
  const float share = powf(distance / LINEAR, POWER - 1);
  for (int t = 0; t < NUM_QUANT_TBLS; t++) {
    JQUANT_TBL *table = jpeg->quant_tbl_ptrs[t];
    if (table) table->quantval[0] = fmaxf(1, roundf(share * table->quantval[0]));
  }
}
