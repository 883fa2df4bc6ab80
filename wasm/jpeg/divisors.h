// The divisors of a quality.
#pragma once
#include "native.h"

// jpegli's for this butteraugli distance, but for DC. Colors and sampling must be set.
void set_divisors(struct jpeg_compress_struct *jpeg, float distance);
