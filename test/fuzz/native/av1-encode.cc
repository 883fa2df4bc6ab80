// Rows of cells, each encoded as a still picture.
#include "host.h"

struct Encoder;

extern "C" {
void encoder_close(Encoder *);
Encoder *encoder_open(int width, int columns, int cell_width, int cell_height, int chroma, int alpha, int quantizer,
                      int alpha_quantizer, int speed, int tuning);
uint8_t *encoder_band(Encoder *);
void encoder_rows(Encoder *, int rows);
int encoder_complete(Encoder *);
void encoder_next(Encoder *);
const uint8_t *encoder_cell(Encoder *, int column, int alpha, int nanoseconds);
size_t encoder_bytes(const Encoder *);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  enum { BAND_ROWS = 32 };
  Input input(data, size);
  host::Account account;
  const int width = input.number(1, 150), height = input.number(1, 90);
  const int cell_width = 2 * input.number(1, 75), cell_height = 2 * input.number(1, 45);
  const int chroma = input.number(0, 2), alpha = input.flag();
  const int quantizer = input.number(0, 63), alpha_quantizer = input.number(0, 63);
  const int speed = input.number(4, 9);
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  const int columns = (width + cell_width - 1) / cell_width;
  Encoder *encoder = encoder_open(width, columns, cell_width, cell_height, chroma, alpha, quantizer, alpha_quantizer,
                                  speed, 0);
  if (!encoder) return 0;
  size_t at = 0;
  for (int top = 0; top < height; top += cell_height) {
    const int bottom = std::min(height, top + cell_height);
    for (int y = top; y < bottom; y += BAND_ROWS) {
      const int rows = std::min<int>(BAND_ROWS, bottom - y);
      for (int i = 0; i < rows * width * 4; i++, at++)
        encoder_band(encoder)[i] = !alpha && i % 4 == 3 ? 255 : host::repeated(bytes, at);
      encoder_rows(encoder, rows);
    }
    const int translucent = encoder_complete(encoder);
    for (int column = 0; column < columns; column++)
      for (int plane = 0; plane <= (translucent && alpha); plane++) {
        const uint8_t *coded = encoder_cell(encoder, column, plane, 100);
        if (!coded) host::wrong("a cell was not encoded");
        host::look_at(coded, encoder_bytes(encoder));
      }
    encoder_next(encoder);
  }
  encoder_close(encoder);
  return 0;
}
