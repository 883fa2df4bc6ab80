// BlazeFace for faces near the camera (V. Bazarevsky et al., "BlazeFace: Sub-millisecond Neural Face Detection on Mobile
// GPUs", 2019): its shape and its weights.
#pragma once

#include "faces.h"

// What the picture is halved to before the first block, whose layers have so many channels.
#define FIRST_FILTER 5
#define FIRST_REACH 1 // rows and columns before the pixel that a filter looks at; after it are two more
#define FIRST_CHANNELS 24

// A block: a filter of 3 x 3 for each channel, then sums of channels, added to what came in. Three of them halve.
#define BLOCKS 16
#define FILTER 3
typedef struct {
  int from, to, halves;
} BlockShape;
extern const BlockShape block_shape[BLOCKS];

// Two layers are looked at for faces, at every place with several anchors: a score and a box each.
#define HEADS 2
#define BOX 4
typedef struct {
  int block, anchors, step; // step: pixels of the picture from one place to the next
} HeadShape;
extern const HeadShape head_shape[HEADS];

// Pixels from a row of the last layer to the next.
#define LAST_STEP 16

// Channels for each column of the first layer that any layer has at most: fewer columns have more.
#define WIDEST 28
#define MOST_CHANNELS 96

// Sums over inputs, made four results at a time: weights[group][input][LANES].
typedef struct {
  int inputs, outputs, groups;
  float *weights, *constants;
} Sums;

typedef struct {
  float *filter, *constants; // [FILTER * FILTER][channels]
  Sums sums;
} Block;

typedef struct {
  Sums first;
  Block block[BLOCKS];
  Sums score[HEADS], box[HEADS];
} Network;

static inline int padded(int channels) { return (channels + LANES - 1) / LANES * LANES; }

float of_half(uint16_t half);

// Made of the file once for the life of the module; null when memory ran out.
const Network *network_of_file(void);
