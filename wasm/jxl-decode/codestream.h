// Where the bytes of a codestream come from.
#pragma once

#include <stddef.h>
#include <stdint.h>

extern "C" {
// Copies `length` bytes of the codestream `source` from `from` on; all of them are there.
__attribute__((import_module("env"), import_name("pull"))) void pull(int source, size_t from, uint8_t* to, size_t length);
}
