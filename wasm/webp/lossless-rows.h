// Row by row decoding of a VP8L picture whose headers were read with `VP8LDecodeHeader`.
#ifndef LOSSLESS_ROWS_H_
#define LOSSLESS_ROWS_H_

#include "src/dec/vp8li_dec.h"
#include "src/dec/webpi_dec.h"

// Allocates the pixels. Returns a VP8StatusCode.
int lossless_start(VP8LDecoder *decoder, WebPDecParams *params);

// Decodes the next sixteen source rows into `params->output`, without the alpha that is coded in an `opaque` picture. Returns 0
// on error or past the end.
int lossless_step(VP8LDecoder *decoder, WebPDecParams *params, int opaque);

#endif
