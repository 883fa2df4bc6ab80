// What libwebp asks about the processor when it picks its functions. Compiled in place of its own answer, which takes
// WebAssembly for a processor with a slow bit scan and gives lossy decoding a longer way through the coefficients.
#include "src/dsp/cpu.h"

WEBP_EXTERN VP8CPUInfo VP8GetCPUInfo;
#ifdef WEBP_HAVE_SSE2
static int has(CPUFeature feature) { return feature == kSSE2 || feature == kSSE3 || feature == kSSE4_1; }
VP8CPUInfo VP8GetCPUInfo = has;
#else
VP8CPUInfo VP8GetCPUInfo = 0;
#endif
