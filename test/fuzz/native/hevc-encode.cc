// Rows of tiles, each encoded as a still picture.
#include "host.h"

struct Tiles;

extern "C" {
void tiles_close(Tiles *);
Tiles *tiles_open(int picture_width, int width, int height, int opaque);
uint8_t *tiles_band(Tiles *);
int tiles_columns(Tiles *);
int tiles_translucent(Tiles *, int column);
void tiles_rows(Tiles *, int count);
void tiles_complete(Tiles *);
void tiles_next(Tiles *);
int tiles_encode(Tiles *, int column, int gray, int quantizer, int lossless, const char *preset);
void tiles_take(Tiles *);
void write_bytes(const uint8_t *bytes, size_t size);
}

void write_bytes(const uint8_t *bytes, size_t size) { host::look_at(bytes, size); }

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { BAND_ROWS = 16 };
  static const char *const presets[] = {"ultrafast", "medium", "slower"};
  Input input(data, size);
  host::Account account;
  const int picture_width = input.number(1, 150), picture_height = input.number(1, 90);
  // An encoder is opened for each tile: there are not thousands of them.
  const int width = 2 * input.number(8, 75), height = 2 * input.number(8, 45);
  const bool opaque = input.flag(), lossless = input.flag();
  const int quantizer = input.number(0, 51);
  const char *preset = input.PickValueInArray(presets);
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  static Tiles *tiles;
  tiles = tiles_open(picture_width, width, height, opaque);
  if (!tiles) return 0;
  host::run([&] {
    size_t at = 0;
    for (int top = 0; top < picture_height; top += height) {
      const int bottom = std::min(picture_height, top + height);
      for (int y = top; y < bottom; y += BAND_ROWS) {
        const int rows = std::min<int>(BAND_ROWS, bottom - y);
        for (int i = 0; i < rows * picture_width * 4; i++, at++)
          tiles_band(tiles)[i] = opaque && i % 4 == 3 ? 255 : host::repeated(bytes, at);
        tiles_rows(tiles, rows);
      }
      tiles_complete(tiles);
      for (int column = 0; column < tiles_columns(tiles); column++)
        for (int gray = 0; gray <= tiles_translucent(tiles, column); gray++) {
          if (!tiles_encode(tiles, column, gray, quantizer, lossless, preset)) host::wrong("a tile was not encoded");
          tiles_take(tiles);
        }
      tiles_next(tiles);
    }
  });
  tiles_close(tiles);
  return 0;
}
