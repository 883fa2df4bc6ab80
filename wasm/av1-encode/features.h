// What libaom tries, and how it writes what it found.
#pragma once

// Whether what is encoded next becomes a tile of a picture, all of which share the headers of one frame.
void be_tile(int is_tile);

struct AV1_COMP;
// Whether that is what it encodes: frames of sequences never are.
int is_tile(const struct AV1_COMP *encoder);

// Whether it is told here what to try.
int is_chosen_here(const struct AV1_COMP *encoder);
