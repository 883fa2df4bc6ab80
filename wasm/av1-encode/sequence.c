// Encodes frames that arrive in bands of RGBA rows as a track of pictures, each of which may be predicted from others: of their
// colors, or of their alpha.
#include <stdlib.h>
#include <string.h>

#include "../native.h"
#include "aom/aomcx.h"
#include "av1/encoder/encoder.h"
#include "breaths.h"
#include "cells.h"
#include "codec.h"

// Even, so that bands begin on a row of chroma.
#define BAND_ROWS 32

typedef struct {
  struct cell_row cells;
  int alpha;                  // the track is that of alpha, or of colors
  aom_codec_ctx_t codec;
  int open;
  aom_codec_iter_t position;  // among the packets that came of the last call
  int frames;                 // that were taken
  int lag;                    // that are seen before one is coded
  int realtime;               // they are coded in libaom's mode for calls
  size_t bytes;               // of the packet that was read last
  int is_key;
  uint8_t *memory, *band, *gray;
} FrameEncoder;

void __real_av1_set_rtc_reference_structure_one_layer(AV1_COMP *encoder, int golden);

// What pictures are predicted from in real time: the two before, and the first. libaom would hold six that came before, which
// win no bytes, and another one besides.
void __wrap_av1_set_rtc_reference_structure_one_layer(AV1_COMP *encoder, int golden) {
  __real_av1_set_rtc_reference_structure_one_layer(encoder, golden);
  enum { BEFORE = 2, FIRST_PLACE = 7 };
  RTC_REF *const references = &encoder->ppi->rtc_ref;
  const int number = (int)encoder->common.current_frame.frame_number;
  const int last = number > 1 ? (number - 1) % BEFORE : 0, next = number % BEFORE;
  for (int i = 0; i < INTER_REFS_PER_FRAME; i++) references->ref_idx[i] = FIRST_PLACE;
  references->ref_idx[LAST_FRAME - LAST_FRAME] = last;
  references->ref_idx[LAST2_FRAME - LAST_FRAME] = references->ref_idx[ALTREF_FRAME - LAST_FRAME] = next;
  for (int place = 0; place < REF_FRAMES; place++) references->refresh[place] = place == next;
  encoder->ext_flags.refresh_frame.golden_frame = encoder->ext_flags.refresh_frame.alt_ref_frame = 0;
}

void EXPORT(frames_close)(FrameEncoder *encoder) {
  if (encoder == NULL) return;
  if (encoder->open) aom_codec_destroy(&encoder->codec);
  free(encoder->memory);
  free(encoder->band);
  free(encoder->gray);
  free(encoder);
}

static int open_codec(FrameEncoder *encoder, int frames, int quantizer, int speed) {
  aom_codec_iface_t *const interface = aom_codec_av1_cx();
  aom_codec_enc_cfg_t config;
  const unsigned usage = encoder->realtime ? AOM_USAGE_REALTIME : AOM_USAGE_GOOD_QUALITY;
  if (aom_codec_enc_config_default(interface, &config, usage) != AOM_CODEC_OK) return 0;
  aom_codec_ctx_t *const codec = &encoder->codec;
  struct coded coded = coded_as(encoder->cells.chroma, encoder->alpha);
  coded.limited = encoder->cells.limited && !encoder->alpha;
  config.g_limit = frames;
  config.g_lag_in_frames = encoder->lag;
  // Nobody looks for a place in an animation: only its first picture stands alone.
  config.kf_mode = AOM_KF_DISABLED;
  configure(&config, &coded, encoder->cells.width, encoder->cells.height, quantizer);
  if (aom_codec_enc_init(codec, interface, &config, 0) != AOM_CODEC_OK) return 0;
  encoder->open = 1;
  aom_codec_control(codec, AOME_SET_CPUUSED, speed);
  // Larger blocks put wider borders around each of the pictures that are held.
  aom_codec_control(codec, AV1E_SET_SUPERBLOCK_SIZE, AOM_SUPERBLOCK_SIZE_64X64);
  control(codec, &coded, quantizer);
  // What later pictures take of one is only known where they are seen.
  if (encoder->lag == 0) aom_codec_control(codec, AV1E_SET_ENABLE_TPL_MODEL, 0);
  // Motion of the whole picture is sought in stretches that do not pause.
  aom_codec_control(codec, AV1E_SET_ENABLE_GLOBAL_MOTION, 0);
  return 1;
}

// Quantizers are 0 to 63, 0 being lossless; `speed` is 0 to 9; `lag` frames are seen before one is coded, none in
// `realtime`. The track is that of `alpha`, or of colors. Returns NULL when memory does not suffice.
FrameEncoder *EXPORT(frames_open)(int width, int height, int chroma, int alpha, int frames, int quantizer,
                                  int speed, int lag, int realtime) {
  FrameEncoder *const encoder = calloc(1, sizeof *encoder);
  if (encoder == NULL) return NULL;
  encoder->alpha = alpha;
  encoder->lag = lag;
  encoder->realtime = realtime;
  encoder->cells = (struct cell_row){.width = width, .height = height, .filled = width, .chroma = chroma, .bits = 8};
  // As films have it: Chromium of Debian 12 shows sequences of full range with too much contrast.
  encoder->cells.limited = chroma != CHROMA_RGB;
  encoder->memory = malloc(cell_row_bytes(&encoder->cells, 1));
  encoder->band = malloc((size_t)width * 4 * BAND_ROWS);
  encoder->gray = malloc(width);
  if (encoder->memory == NULL || encoder->band == NULL || encoder->gray == NULL ||
      !open_codec(encoder, frames, quantizer, speed)) {
    frames_close(encoder);
    return NULL;
  }
  memset(encoder->gray, 128, width);
  cell_row_place(&encoder->cells, 1, encoder->memory);
  return encoder;
}

uint8_t *EXPORT(frames_band)(FrameEncoder *encoder) { return encoder->band; }

// Takes the first `rows` rows of the band: an even number, but at the bottom of a frame.
void EXPORT(frames_rows)(FrameEncoder *encoder, int rows) { cell_row_add(&encoder->cells, encoder->band, rows); }

// The rows that follow are those of the next frame. Returns whether any pixel of this one is translucent.
int EXPORT(frames_next)(FrameEncoder *encoder) {
  const int translucent = encoder->cells.translucent;
  encoder->cells.rows = 0;
  encoder->cells.translucent = 0;
  return translucent;
}

// Takes the frame whose rows are there, or with `last` says that there are no more, after which it is called until no packet
// comes of it. What is coded takes `nanoseconds` for a pixel. Pauses. Returns 0 where memory does not suffice.
int EXPORT(frames_encode)(FrameEncoder *encoder, int last, int nanoseconds) {
  breathe_by(nanoseconds);
  aom_image_t image;
  if (!last) cell_image(&encoder->cells, encoder->alpha, encoder->gray, 0, encoder->cells.width, &image);
  encoder->position = NULL;
  // Where none is seen ahead, pictures are predicted from the one before and the first: others take memory and win no bytes.
  const int is_alone = encoder->lag == 0 && !encoder->realtime;
  const aom_enc_frame_flags_t flags = is_alone ? AOM_EFLAG_NO_UPD_GF | AOM_EFLAG_NO_UPD_ARF : 0;
  return aom_codec_encode(&encoder->codec, last ? NULL : &image, encoder->frames++, 1, flags) == AOM_CODEC_OK;
}

// The next packet, which is one picture that is shown with what it needs; valid until the next frame is taken. NULL when more
// frames are needed.
const uint8_t *EXPORT(frames_packet)(FrameEncoder *encoder) {
  const aom_codec_cx_pkt_t *packet;
  while ((packet = aom_codec_get_cx_data(&encoder->codec, &encoder->position)) != NULL) {
    if (packet->kind != AOM_CODEC_CX_FRAME_PKT) continue;
    encoder->bytes = packet->data.frame.sz;
    encoder->is_key = (packet->data.frame.flags & AOM_FRAME_IS_KEY) != 0;
    return packet->data.frame.buf;
  }
  return NULL;
}

size_t EXPORT(frames_bytes)(const FrameEncoder *encoder) { return encoder->bytes; }
int EXPORT(frames_is_key)(const FrameEncoder *encoder) { return encoder->is_key; }
