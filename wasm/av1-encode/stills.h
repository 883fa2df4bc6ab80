// What an encoder of libaom is at work on: a still that is told here what to try, a tile, or a sequence.
#pragma once

struct AV1_COMP;

// Whether what is encoded next becomes a tile of a picture, all of which share the headers of one frame.
void be_tile(int is_tile);

// Whether that is what it encodes: frames of sequences never are.
int is_tile(const struct AV1_COMP *encoder);

// Whether it is told here what to try at such a speed.
int is_ours(const struct AV1_COMP *encoder, int speed);
