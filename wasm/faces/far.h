// BlazeFace for faces within five meters of the camera: its shape, and its weights one layer after the other.
#pragma once

#include "layers.h"

// What the picture is halved to before the first unit.
#define FAR_FILTER 3
#define FAR_FIRST 32

// A unit: each channel filtered, sums that narrow it, each of these filtered, sums that widen it, added to what came in.
typedef struct {
  int from, narrow, to, halves;
} UnitShape;

// Units on the way down, some of whose layers are kept for the way up.
#define FAR_UNITS 15
#define FAR_KEPT 3
extern const UnitShape far_unit[FAR_UNITS];
extern const int far_kept[FAR_KEPT];

// On the way up, a layer of twice the sides is added to a kept one, both narrowed to so many channels; units follow.
typedef struct {
  int channels, units;
} RiseShape;
extern const RiseShape far_rise[FAR_KEPT];

// Sides come in whole steps of the smallest layer; scores and boxes are at every fourth pixel.
#define FAR_STEP 32
#define FAR_PLACE 4

// What is known of each place: a score, a box, and three zeros for whole lanes.
#define FAR_OUTPUTS 8

// The most channels that are filtered, and the most weights of sums.
#define FAR_MOST_CHANNELS 384
#define FAR_MOST_WEIGHTS (384 * 96)

// Room for the floats of one layer of filters and one of sums.
typedef struct {
  float filter[FILTER * FILTER * FAR_MOST_CHANNELS], filter_constants[FAR_MOST_CHANNELS];
  float weights[FAR_MOST_WEIGHTS], constants[FAR_MOST_CHANNELS];
} FarFloats;

// Weights follow each other in the order in which the network uses them. Read what is next. Valid until there is something else in the room.
Sums far_sums(const uint8_t **at, int inputs, int outputs, FarFloats *room);
Block far_block(const uint8_t **at, int from, int to, FarFloats *room);
