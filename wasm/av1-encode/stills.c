#include "stills.h"

#include "av1/encoder/encoder.h"

enum { SPEED = 6 };

static int tile;

void be_tile(int is_tile) { tile = is_tile; }

int is_tile(const AV1_COMP *encoder) { return tile && encoder->oxcf.mode == ALLINTRA; }

int is_ours(const AV1_COMP *encoder, int speed) { return encoder->oxcf.mode == ALLINTRA && speed == SPEED; }
