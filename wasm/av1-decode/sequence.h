// Pictures of AV1 that may be predicted from those before them, decoded one after the other.
#pragma once
#include "dav1d/dav1d.h"
#include "planes.h"

typedef struct Sequence Sequence;

typedef struct {
  Planes planes;
  Dav1dPicture decoded;
  // The decoder that goes with the picture: its rows are decoded later.
  Sequence *sequence;
} Picture;

enum { SEQUENCE_DECODED, SEQUENCE_FULL, SEQUENCE_DAMAGED };

// All pictures must have `width` x `height` pixels of `bits`. Returns NULL where memory does not suffice.
Sequence *sequence_open(int width, int height, int bits, unsigned most_pixels, int operating_point);
// From now on pictures are those of a spatial layer, not of the last one of the operating point.
void sequence_select(Sequence *sequence, int layer);
void sequence_close(Sequence *sequence);

// A picture is all that is decoded, and has its rows decoded as they are wanted where it can.
void sequence_by_rows(Sequence *sequence);

// The picture that is shown of the units in `bytes`, which are freed: NULL unless it was decoded. SEQUENCE_FULL is for
// want of memory.
int sequence_decode(Sequence *sequence, uint8_t *bytes, size_t size, Picture **picture);

void picture_close(Picture *picture);
