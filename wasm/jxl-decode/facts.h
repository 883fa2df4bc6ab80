// Which numbers describe a file, in the order in which facts.ts reads them, and what decoding takes.
#pragma once

enum Fact {
  FACT_WIDTH,
  FACT_HEIGHT,
  FACT_ORIENTATION,
  FACT_ANIMATED,
  FACT_LOOPS,
  FACT_FRAMES,
  FACT_TICKS,
  FACT_ALPHA_BITS,
  FACT_GRAY,
  // The number of the extra channel, or -1.
  FACT_BLACK,
  FACT_BITS,
  FACT_XYB,
  FACT_YCBCR,
  FACT_STEP_X,
  FACT_STEP_Y,
  FACT_MODULAR,
  FACT_PASSES,
  // Code points of ITU-T H.273, or 0.
  FACT_PRIMARIES,
  FACT_TRANSFER,
  // The address and the length of an ICC profile of the same colors.
  FACT_PROFILE,
  FACT_PROFILE_BYTES,
  // Memory that decoding takes at most, pixels in it that wait to be read, pixels of all frames weighed by their work, and their bytes.
  FACT_BYTES,
  FACT_WAITING,
  FACT_PIXELS,
  FACT_DATA,
  FACT_COUNT,
};

// What a pixel of a frame in modular mode takes, in pixels of other frames: where predictions are chosen and weighed, or
// that is not known.
#define WEIGHED_WORK 5
// Bytes for each pixel of what is known of blocks: low frequencies, sizes, quantization, filters.
#define BLOCK_BYTES 0.7
// Rows that filters need of groups above and below, both together.
#define BORDER_ROWS 18
// Columns that they need of groups aside, both together: whole vectors.
#define BORDER_COLUMNS 16
// Data that waits for more is copied where it lies together, into memory that is doubled as it grows.
#define DATA_COPIES 4
// Rows of groups, and of pixels, that lie decoded before the first is read.
#define BAND_GROUPS 2
#define BAND_ROWS 64
