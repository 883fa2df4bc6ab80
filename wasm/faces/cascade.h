// A cascade of boosted Haar features as constant tables; compile-cascades.ts writes them.
#ifndef CASCADE_H
#define CASCADE_H

#include <stdint.h>

// Where the way through a tree of two nodes goes on to the second.
enum { NONE, BELOW, ABOVE };

typedef struct {
  int8_t x, y, width, height;
} Rectangle;

// weights[0] * sum of rectangles[1] + weights[1] * that of [2], less that of [0], against a threshold in deviations.
typedef struct {
  Rectangle rectangles[3];
  int8_t weights[2];
  uint8_t more;
  float threshold;
  float below, above; // what it adds to the sum of its stage
} Node;

typedef struct {
  int32_t trees;
  float threshold; // a window whose sum is less is no face
} StageOfCascade;

typedef struct {
  int32_t side; // of the square window, in pixels
  int32_t stages, nodes;
  const StageOfCascade *stage;
  const Node *node; // those of all stages in order
} Cascade;

#endif
