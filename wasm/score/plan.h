// What is computed of pictures of a size: scales, channels and maps.
#pragma once
#include <stddef.h>

#include "weights.h"
#include "xyb.h"

enum {
  SCALES = 6,
  MIN_SIDE = 8, // pixels; a smaller picture is not halved again
};
// Maps whose weights are all below are not computed: together they move a score by less than 0.001.
#define NEGLIGIBLE_WEIGHT 0.002

typedef struct {
  int width, height;
  int stride;            // floats of a row of whole vectors
  int tile_columns, tile_rows; // 0: one tile, whose edges are those of the picture
  int structure[CHANNELS], edges[CHANNELS]; // whether maps of either kind matter
} ScalePlan;

typedef struct {
  int scales;
  ScalePlan scale[SCALES];
} Plan;

static double weight_of(int channel, int scale, int norm, int map) {
  return WEIGHTS[((channel * SCALES + scale) * 2 + norm) * 3 + map];
}

static int matters(int channel, int scale, int map) {
  return weight_of(channel, scale, 0, map) >= NEGLIGIBLE_WEIGHT || weight_of(channel, scale, 1, map) >= NEGLIGIBLE_WEIGHT;
}

// Whether any map of a channel is computed.
static int is_used(const ScalePlan *plan, int channel) { return plan->structure[channel] || plan->edges[channel]; }

static Plan plan_of(int width, int height, int tile_columns, int tile_rows) {
  Plan plan = {0};
  // The reference asks for the size before it halves: the last scale may be smaller than the bound. It also counts its
  // weights on without gaps when scales are missing, so then no map is negligible.
  for (int w = width, h = height; plan.scales < SCALES; plan.scales++) {
    plan.scale[plan.scales] = (ScalePlan){.width = w, .height = h, .stride = (w + 3) & ~3};
    if (plan.scales > 0 && (plan.scale[plan.scales - 1].width < MIN_SIDE || plan.scale[plan.scales - 1].height < MIN_SIDE)) break;
    w = (w + 1) / 2, h = (h + 1) / 2;
  }
  for (int index = 0; index < plan.scales; index++) {
    ScalePlan *scale = &plan.scale[index];
    scale->tile_columns = tile_columns >> index, scale->tile_rows = tile_rows >> index;
    for (int channel = 0; channel < CHANNELS; channel++) {
      scale->structure[channel] = plan.scales < SCALES || matters(channel, index, 0);
      scale->edges[channel] = plan.scales < SCALES || matters(channel, index, 1) || matters(channel, index, 2);
    }
  }
  return plan;
}
