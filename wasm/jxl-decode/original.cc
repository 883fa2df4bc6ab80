// The JPEG file that was packed into a file of JPEG XL, byte for byte as it was.
#include <jxl/decode.h>
#include <stdlib.h>

#include <algorithm>

#include "../native.h"
#include "codestream.h"

namespace {

constexpr size_t FEED = 64 << 10;
constexpr size_t FIRST_ROOM = 256 << 10;

struct Original {
  JxlDecoder* decoder;
  uint8_t *input, *bytes;
  size_t length, room;
};

// Gives the decoder what is not written yet of the room, which grows.
bool MakeRoom(Original* original) {
  if (original->bytes != nullptr) {
    original->length = original->room - JxlDecoderReleaseJPEGBuffer(original->decoder);
    if (original->length < original->room) return false;
  }
  const size_t room = original->room == 0 ? FIRST_ROOM : original->room * 2;
  uint8_t* const bytes = static_cast<uint8_t*>(realloc(original->bytes, room));
  if (bytes == nullptr) return false;
  original->bytes = bytes;
  original->room = room;
  return JxlDecoderSetJPEGBuffer(original->decoder, bytes + original->length, room - original->length) ==
         JXL_DEC_SUCCESS;
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
        if (!MakeRoom(original)) fail("out of memory");
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
