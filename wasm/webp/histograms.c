// The lossless coder joins histograms for a long time without telling how far it got. What takes the time are entropies
// of pairs; this file is compiled in place of histogram_enc.c, contains it, and lets others have the thread between
// them.
#include "breathe.h"
#include "src/dsp/lossless.h"

// Entropies that are found before the work is declared, and how many pixels' work they are.
#define ENTROPIES 256
#define ENTROPIES_PIXELS 1024

static void breathe_entropy(void) {
  static int found;
  if (++found < ENTROPIES) return;
  found = 0;
  breathe(ENTROPIES_PIXELS);
}

#define VP8LGetCombinedEntropyUnrefined(x, y, length, entropy, stats) \
  (breathe_entropy(), (VP8LGetCombinedEntropyUnrefined)(x, y, length, entropy, stats))
#include "src/enc/histogram_enc.c"
