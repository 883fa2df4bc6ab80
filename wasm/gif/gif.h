// What reading and writing of GIF share (GIF89a specification, 31 July 1990).
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../native.h"

// Codes have at most 12 bits (appendix F).
enum { MAX_BITS = 12, CODES = 1 << MAX_BITS };

