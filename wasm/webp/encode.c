// Encodes a picture that arrives in bands of RGBA rows. The result leaves through the import `env.write`.
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "import.h"
#include "lean.h"
#include "saturated.h"
#include "src/webp/encode.h"

// Even, so that bands begin on a row of chroma.
#define BAND_ROWS 32

// Of 7: what is filtered at edges of blocks loses less of what lies inside them.
#define FILTER_SHARPNESS 6

// Appends bytes to the output of that number; none take back all that was written to it.
void IMPORT_AS(write_bytes, write)(int sink, const uint8_t *bytes, size_t size);
void heap_limit(size_t bytes);

typedef struct {
  WebPConfig config;
  WebPPicture picture;
  uint8_t *memory;  // of the band, and of rows before it
  uint8_t *band;
  uint16_t *scratch;
  Saturated *saturated;
  int next_row;
  int translucent;
  int sink;
} Encoder;

static int write_chunk(const uint8_t *bytes, size_t size, const WebPPicture *picture) {
  write_bytes(((const Encoder *)picture->custom_ptr)->sink, bytes, size);
  return 1;
}

void EXPORT(encoder_close)(Encoder *encoder) {
  if (encoder == NULL) return;
  WebPPictureFree(&encoder->picture);
  free(encoder->memory);
  free(encoder->scratch);
  saturated_close(encoder->saturated);
  free(encoder);
}

// `near_lossless` is 0 to 100, 100 being off. Returns NULL when memory does not suffice or a value is out of range.
Encoder *EXPORT(encoder_open)(int width, int height, int opaque, int lossless, float quality, int method,
                              int alpha_quality, int near_lossless, int exact, int sink) {
  Encoder *const encoder = (Encoder *)calloc(1, sizeof(*encoder));
  WebPPicture *const picture = encoder == NULL ? NULL : &encoder->picture;
  if (encoder == NULL) return NULL;
  if (!WebPConfigInit(&encoder->config) || !WebPPictureInit(picture)) goto Error;
  encoder->config.lossless = lossless;
  encoder->config.quality = quality;
  encoder->config.method = method;
  encoder->config.alpha_quality = alpha_quality;
  encoder->config.near_lossless = near_lossless;
  encoder->config.exact = exact;
  encoder->config.filter_sharpness = FILTER_SHARPNESS;
  if (!WebPValidateConfig(&encoder->config)) goto Error;
  picture->width = width;
  picture->height = height;
  picture->use_argb = lossless;
  picture->colorspace = opaque ? WEBP_YUV420 : WEBP_YUV420A;
  encoder->sink = sink;
  picture->writer = write_chunk;
  picture->custom_ptr = encoder;
  import_init();
  saturated_init();
  encoder->memory = (uint8_t *)malloc((size_t)width * 4 * (SATURATED_KEPT_ROWS + BAND_ROWS));
  encoder->scratch = (uint16_t *)malloc((size_t)((width + 1) >> 1) * 4 * sizeof(*encoder->scratch));
  if (encoder->memory == NULL || encoder->scratch == NULL || !WebPPictureAlloc(picture)) goto Error;
  encoder->band = encoder->memory + (size_t)width * 4 * SATURATED_KEPT_ROWS;
  if (!lossless && (encoder->saturated = saturated_open(width, BAND_ROWS)) == NULL) goto Error;
  return encoder;

Error:
  encoder_close(encoder);
  return NULL;
}

uint8_t *EXPORT(encoder_band)(Encoder *encoder) { return encoder->band; }

// Takes the first `rows` rows of the band: all 32 of them except at the bottom of the picture.
void EXPORT(encoder_rows)(Encoder *encoder, int rows) {
  const int left = encoder->picture.height - encoder->next_row;
  if (rows > left) rows = left;
  encoder->translucent |= import_rows(&encoder->picture, encoder->band, encoder->next_row, rows, encoder->scratch);
  if (encoder->saturated != NULL) {
    const size_t kept = (size_t)encoder->picture.width * 4 * SATURATED_KEPT_ROWS;
    saturated_take(encoder->saturated, &encoder->picture, encoder->band, encoder->next_row, rows);
    if (rows == BAND_ROWS) memcpy(encoder->memory, encoder->band + (size_t)encoder->picture.width * 4 * rows - kept, kept);
  }
  encoder->next_row += rows;
}

// Encodes and writes the file, and pauses now and then; the heap may not grow beyond `limit` bytes. Returns a
// WebPEncodingError.
//
// `lean` asks for the way that needs less memory. A lossless picture goes through a coder of our own. A lossy encoder
// goes over the picture several times instead of keeping its symbols until the end, which takes twice the time; that
// is also tried where memory ran out. Partition 0 holds 512 KB; where the modes of a large
// picture do not fit, they are coded anew with fewer small blocks.
int EXPORT(encoder_finish)(Encoder *encoder, size_t limit, int lean) {
  WebPPicture *const picture = &encoder->picture;
  free(encoder->memory);
  free(encoder->scratch);
  saturated_close(encoder->saturated);
  encoder->memory = encoder->band = NULL;
  encoder->scratch = NULL;
  encoder->saturated = NULL;
  if (encoder->next_row < picture->height) return VP8_ENC_ERROR_BAD_DIMENSION;
  if (!encoder->translucent) picture->colorspace = WEBP_YUV420;
  heap_limit(limit);
  if (encoder->config.lossless && lean) {
    lean_lossless(picture);
    return picture->error_code;
  }
  encoder->config.low_memory = lean;
  for (;;) {
    WebPEncode(&encoder->config, picture);
    if (encoder->config.lossless) break;
    // What a failed attempt wrote is void.
    if (picture->error_code != VP8_ENC_OK) write_bytes(encoder->sink, NULL, 0);
    if (picture->error_code == VP8_ENC_ERROR_PARTITION0_OVERFLOW && encoder->config.partition_limit < 100) {
      encoder->config.partition_limit = encoder->config.partition_limit == 0 ? 70 : 100;
    } else if ((picture->error_code == VP8_ENC_ERROR_OUT_OF_MEMORY ||
                picture->error_code == VP8_ENC_ERROR_BITSTREAM_OUT_OF_MEMORY) &&
               !encoder->config.low_memory) {
      encoder->config.low_memory = 1;
    } else {
      break;
    }
  }
  return picture->error_code;
}
