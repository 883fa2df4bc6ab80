// Rows of cells, each encoded as a still picture, or the frames of an animation as a track.
#include "host.h"

struct Encoder;
struct FrameEncoder;

extern "C" {
void encoder_close(Encoder *);
Encoder *encoder_open(int width, int height, int cell_width, int cell_height, int tiled, int chroma, int alpha,
                      int quantizer, int alpha_quantizer, int speed, int drawn, int deep, int bits, int primaries,
                      int transfer);
void *encoder_band(Encoder *);
void encoder_rows(Encoder *, int rows);
int encoder_translucent(Encoder *);
void encoder_next(Encoder *);
const uint8_t *encoder_cell(Encoder *, int column, int alpha, int known, int nanoseconds);
size_t encoder_bytes(const Encoder *);
FrameEncoder *frames_open(int width, int height, int chroma, int alpha, int frames, int quantizer, int speed, int lag,
                          int realtime);
uint8_t *frames_band(FrameEncoder *);
void frames_rows(FrameEncoder *, int rows);
int frames_next(FrameEncoder *);
int frames_encode(FrameEncoder *, int last, int nanoseconds);
const uint8_t *frames_packet(FrameEncoder *);
size_t frames_bytes(const FrameEncoder *);
int frames_is_key(const FrameEncoder *);
void frames_close(FrameEncoder *);
void exact_quantizer(int quantizer, int index);
}

enum { BAND_ROWS = 32, SUPERBLOCK = 64 };

static void encode_cells(Input &input) {
  const int width = input.number(1, 150), height = input.number(1, 90);
  // Several cells become tiles, whose sides are whole superblocks.
  const int cell_width = input.flag() ? SUPERBLOCK * input.number(1, 2) : width;
  const int cell_height = input.flag() ? SUPERBLOCK : height;
  const int tiled = cell_width < width || cell_height < height;
  const int chroma = input.number(0, 2), alpha = input.flag();
  const int quantizer = input.number(0, 63), alpha_quantizer = input.number(0, 63);
  const int deep = input.flag(), speed = input.number(4, 9), twice = input.flag(), drawn = input.flag();
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  const int columns = (width + cell_width - 1) / cell_width;
  Encoder *encoder = encoder_open(width, height, cell_width, cell_height, tiled, chroma, alpha, quantizer, alpha_quantizer,
                                  speed, drawn, deep, deep ? 10 : 8, 9, 16);
  if (!encoder) return;
  const int pixel = deep ? 8 : 4;
  size_t at = 0;
  for (int top = 0; top < height; top += cell_height) {
    const int bottom = std::min(height, top + cell_height);
    for (int y = top; y < bottom; y += BAND_ROWS) {
      const int rows = std::min<int>(BAND_ROWS, bottom - y);
      uint8_t *const band = (uint8_t *)encoder_band(encoder);
      for (int i = 0; i < rows * width * pixel; i++, at++)
        band[i] = !alpha && i % pixel >= pixel / 4 * 3 ? 255 : host::repeated(bytes, at);
      encoder_rows(encoder, rows);
    }
    const int translucent = encoder_translucent(encoder);
    for (int column = 0; column < columns; column++)
      for (int plane = 0; plane <= (translucent && alpha); plane++) {
        const uint8_t *coded = encoder_cell(encoder, column, plane, 0, 100);
        // Sizes of blocks are known now.
        if (twice && plane == 0) coded = encoder_cell(encoder, column, plane, 1, 100);
        if (!coded) host::wrong("a cell was not encoded");
        host::look_at(coded, encoder_bytes(encoder));
      }
    encoder_next(encoder);
  }
  encoder_close(encoder);
}

// The pictures that come of a call, of which the first stands alone.
static int look_at_packets(FrameEncoder *encoder, int before) {
  int packets = before;
  for (const uint8_t *packet; (packet = frames_packet(encoder)) != nullptr; packets++) {
    host::look_at(packet, frames_bytes(encoder));
    if (packets == 0 && !frames_is_key(encoder)) host::wrong("the first picture needs others");
  }
  return packets;
}

static void encode_frames(Input &input) {
  enum { SPEED = 6, REALTIME_SPEED = 7, LAG = 8, QUANTIZER_INDEXES = 4 };
  const int width = input.number(1, 48), height = input.number(1, 40), frames = input.number(1, 4);
  const int alpha = input.flag(), chroma = alpha ? 0 : input.number(0, 2), lag = input.flag() ? std::min<int>(LAG, frames - 1) : 0;
  const int index = input.number(0, 63 * (int)QUANTIZER_INDEXES);
  const int quantizer = (index + QUANTIZER_INDEXES - 1) / QUANTIZER_INDEXES;
  const bool realtime = chroma == 0 && quantizer > 0 && lag == 0 && input.flag();
  // How far what is shown moves from one frame to the next: not at all, a little, or to something else.
  const int moves = input.number(0, 3) * input.number(0, 400);
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  exact_quantizer(quantizer, index);
  FrameEncoder *const encoder = frames_open(width, height, chroma, alpha, frames, quantizer,
                                            realtime ? REALTIME_SPEED : SPEED, lag, realtime);
  if (!encoder) host::wrong("an encoder was not opened");
  int packets = 0;
  for (int frame = 0; frame < frames; frame++) {
    size_t at = (size_t)frame * moves;
    for (int y = 0; y < height; y += BAND_ROWS) {
      const int rows = std::min<int>(BAND_ROWS, height - y);
      for (int i = 0; i < rows * width * 4; i++, at++) frames_band(encoder)[i] = host::repeated(bytes, at);
      frames_rows(encoder, rows);
    }
    frames_next(encoder);
    if (!frames_encode(encoder, 0, 100)) host::wrong("a frame was not taken");
    packets = look_at_packets(encoder, packets);
  }
  for (int before = -1; before < packets;) {
    before = packets;
    if (!frames_encode(encoder, 1, 100)) host::wrong("the last frames were not encoded");
    packets = look_at_packets(encoder, packets);
  }
  if (packets != frames) host::wrong("there are not as many pictures as frames");
  frames_close(encoder);
  exact_quantizer(quantizer, 0);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Input input(data, size);
  host::Account account;
  if (input.flag()) {
    encode_frames(input);
  } else {
    encode_cells(input);
  }
  return 0;
}
