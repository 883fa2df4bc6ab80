// Spatial prediction for the lean coder: predictors are chosen per square tile, by the size of their residuals.
#ifndef PREDICT_H_
#define PREDICT_H_

#include <stdint.h>

#define TILE_BITS 5

// Fills `modes`, one per tile in reading order, as the pixels of a predictor image.
void choose_modes(const uint32_t *argb, int width, int height, uint32_t *modes);

// The entropy of the residuals, in bits, without any match; judged on every fourth row.
double residual_bits(const uint32_t *argb, int width, int height, const uint32_t *modes);

// Replaces the pixels by their residuals. `rows` holds two rows and two pixels.
void predict_image(uint32_t *argb, int width, int height, const uint32_t *modes, uint32_t *rows);

#endif
