// The JPEG file that was packed into a file of JPEG XL, byte for byte as it was.
#include <jxl/decode.h>
#include <stdlib.h>

#include <algorithm>

#include "../native.h"
#include "codestream.h"

namespace {

constexpr size_t FEED = 64 << 10;
constexpr size_t FIRST_ROOM = 64 << 10;

struct Original {
  JxlDecoder* decoder;
  uint8_t *input, *bytes;
  size_t room;
};

// Gives the decoder room, or more of it: what did not fit is then written anew.
bool MakeRoom(Original* original, size_t size) {
  if (original->bytes != nullptr) JxlDecoderReleaseJPEGBuffer(original->decoder);
  free(original->bytes);
  // Packed, a file is about a fifth smaller.
  original->room = original->room == 0 ? FIRST_ROOM + size + size / 2 : original->room * 2;
  original->bytes = static_cast<uint8_t*>(malloc(original->room));
  if (original->bytes == nullptr) return false;
  return JxlDecoderSetJPEGBuffer(original->decoder, original->bytes, original->room) == JXL_DEC_SUCCESS;
}

}  // namespace

extern "C" {

void EXPORT(original_close)(Original* original) {
  JxlDecoderDestroy(original->decoder);
  free(original->input);
  free(original->bytes);
  free(original);
}

Original* EXPORT(original_open)(void) {
  Original* const original = static_cast<Original*>(calloc(1, sizeof(Original)));
  if (original == nullptr) return nullptr;
  original->decoder = JxlDecoderCreate(nullptr);
  original->input = static_cast<uint8_t*>(malloc(FEED));
  if (original->decoder != nullptr && original->input != nullptr) return original;
  original_close(original);
  return nullptr;
}

// Reads the file `source` of `size` bytes, its boxes included. Returns the length of the JPEG file.
size_t EXPORT(original_read)(Original* original, int source, size_t size) {
  JxlDecoder* const decoder = original->decoder;
  if (JxlDecoderSubscribeEvents(decoder, JXL_DEC_JPEG_RECONSTRUCTION | JXL_DEC_FULL_IMAGE) != JXL_DEC_SUCCESS) {
    fail("damaged");
  }
  for (size_t at = 0;;) {
    switch (JxlDecoderProcessInput(decoder)) {
      case JXL_DEC_JPEG_RECONSTRUCTION:
      case JXL_DEC_JPEG_NEED_MORE_OUTPUT:
        if (!MakeRoom(original, size)) fail("out of memory");
        break;
      case JXL_DEC_FULL_IMAGE:
        if (original->bytes == nullptr) fail("not made of a JPEG file");
        return original->room - JxlDecoderReleaseJPEGBuffer(decoder);
      case JXL_DEC_NEED_MORE_INPUT: {
        at -= JxlDecoderReleaseInput(decoder);
        const size_t length = std::min(FEED, size - at);
        if (length == 0) fail("cut short");
        pull(source, at, original->input, length);
        if (JxlDecoderSetInput(decoder, original->input, length) != JXL_DEC_SUCCESS) fail("damaged");
        at += length;
        if (at == size) JxlDecoderCloseInput(decoder);
        break;
      }
      default:
        fail("not made of a JPEG file");
    }
  }
}

const uint8_t* EXPORT(original_bytes)(const Original* original) { return original->bytes; }

}  // extern "C"
