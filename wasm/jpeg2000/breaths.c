// Where OpenJPEG pauses: the linker sends these calls here (--wrap). The units of work are nanoseconds: what time goes
// to are the bytes that code blocks are coded in, whose number nobody knows beforehand when a picture is encoded, and
// samples, which pass through wavelets.
#include "breathe.h"
#include "codec.h"

// Measured on photographs.
enum {
  DECODED_BYTE_NANOSECONDS = 130,
  ENCODED_BYTE_NANOSECONDS = 150,
  // Color transforms included; to encode, the search through samples without detail, too.
  DECODED_SAMPLE_NANOSECONDS = 8,
  ENCODED_SAMPLE_NANOSECONDS = 17,
  PACKET_NANOSECONDS = 300,
};

// Set and asked within one call into the module.
static int missing;
// The next packet is the first of its precincts: its code blocks begin with it.
static int is_first;

int packet_was_missing(void) {
  const int was = missing;
  missing = 0;
  return was;
}

void __real_opj_tgt_reset(opj_tgt_tree_t *tree);
void __real_opj_bio_init_dec(opj_bio_t *bio, OPJ_BYTE *from, OPJ_UINT32 length);
void __real_opj_mqc_init_dec(opj_mqc_t *coder, OPJ_BYTE *from, OPJ_UINT32 length, OPJ_UINT32 room);
void __real_opj_mqc_raw_init_dec(opj_mqc_t *coder, OPJ_BYTE *from, OPJ_UINT32 length, OPJ_UINT32 room);
void __real_opj_mqc_flush(opj_mqc_t *coder);
OPJ_BOOL __real_opj_dwt_decode(opj_tcd_t *coder, opj_tcd_tilecomp_t *component, OPJ_UINT32 resolutions);
OPJ_BOOL __real_opj_dwt_decode_real(opj_tcd_t *coder, opj_tcd_tilecomp_t *component, OPJ_UINT32 resolutions);
OPJ_BOOL __real_opj_dwt_encode(opj_tcd_t *coder, opj_tcd_tilecomp_t *component);
OPJ_BOOL __real_opj_dwt_encode_real(opj_tcd_t *coder, opj_tcd_tilecomp_t *component);

// Called for the first layer of a precinct, before the header of its packet is read.
void __wrap_opj_tgt_reset(opj_tgt_tree_t *tree) {
  is_first = 1;
  __real_opj_tgt_reset(tree);
}

// Reads the header of a packet, which has a byte at least: OpenJPEG takes one that is not there for empty. Layers after
// the first only make a picture finer, and encoders that aim at a size leave out what no longer fits.
void __wrap_opj_bio_init_dec(opj_bio_t *bio, OPJ_BYTE *from, OPJ_UINT32 length) {
  if (length == 0 && is_first) missing = 1;
  is_first = 0;
  breathe(PACKET_NANOSECONDS);
  __real_opj_bio_init_dec(bio, from, length);
}

// Begins a segment of a code block.
void __wrap_opj_mqc_init_dec(opj_mqc_t *coder, OPJ_BYTE *from, OPJ_UINT32 length, OPJ_UINT32 room) {
  breathe((int)length * DECODED_BYTE_NANOSECONDS);
  __real_opj_mqc_init_dec(coder, from, length, room);
}

void __wrap_opj_mqc_raw_init_dec(opj_mqc_t *coder, OPJ_BYTE *from, OPJ_UINT32 length, OPJ_UINT32 room) {
  breathe((int)length * DECODED_BYTE_NANOSECONDS);
  __real_opj_mqc_raw_init_dec(coder, from, length, room);
}

// Ends a code block.
void __wrap_opj_mqc_flush(opj_mqc_t *coder) {
  __real_opj_mqc_flush(coder);
  breathe((int)opj_mqc_numbytes(coder) * ENCODED_BYTE_NANOSECONDS);
}

// The samples of a tile's component at its finest resolution, or those of them that are wanted.
static int samples_of(const opj_tcd_tilecomp_t *component, OPJ_UINT32 resolutions, int whole) {
  const opj_tcd_resolution_t *finest = &component->resolutions[resolutions - 1];
  const int width = whole ? finest->x1 - finest->x0 : (int)(finest->win_x1 - finest->win_x0);
  const int height = whole ? finest->y1 - finest->y0 : (int)(finest->win_y1 - finest->win_y0);
  return width * height;
}

OPJ_BOOL __wrap_opj_dwt_decode(opj_tcd_t *coder, opj_tcd_tilecomp_t *component, OPJ_UINT32 resolutions) {
  breathe(samples_of(component, resolutions, coder->whole_tile_decoding) * DECODED_SAMPLE_NANOSECONDS);
  return __real_opj_dwt_decode(coder, component, resolutions);
}

OPJ_BOOL __wrap_opj_dwt_decode_real(opj_tcd_t *coder, opj_tcd_tilecomp_t *component, OPJ_UINT32 resolutions) {
  breathe(samples_of(component, resolutions, coder->whole_tile_decoding) * DECODED_SAMPLE_NANOSECONDS);
  return __real_opj_dwt_decode_real(coder, component, resolutions);
}

OPJ_BOOL __wrap_opj_dwt_encode(opj_tcd_t *coder, opj_tcd_tilecomp_t *component) {
  breathe(samples_of(component, component->numresolutions, 1) * ENCODED_SAMPLE_NANOSECONDS);
  return __real_opj_dwt_encode(coder, component);
}

OPJ_BOOL __wrap_opj_dwt_encode_real(opj_tcd_t *coder, opj_tcd_tilecomp_t *component) {
  breathe(samples_of(component, component->numresolutions, 1) * ENCODED_SAMPLE_NANOSECONDS);
  return __real_opj_dwt_encode_real(coder, component);
}
