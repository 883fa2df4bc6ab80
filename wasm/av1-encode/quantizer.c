// libaom takes one of 64 quantizers, each of which stands for one of the 256 indexes that AV1 has: from one to the next a picture
// gains up to two points of its score. The linker sends the look-up here (--wrap), so that the indexes between them can be had.
#include "../native.h"

static int exact, exact_index;

int __real_av1_quantizer_to_qindex(int quantizer);

int __wrap_av1_quantizer_to_qindex(int quantizer) {
  return exact && quantizer == exact ? exact_index : __real_av1_quantizer_to_qindex(quantizer);
}

// From now on `quantizer` stands for `index`, until another one does; with 0 all stand for what libaom says.
void EXPORT(exact_quantizer)(int quantizer, int index) {
  exact = quantizer;
  exact_index = index;
}
