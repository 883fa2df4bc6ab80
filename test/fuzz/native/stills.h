// A still picture of AV1 or HEVC decoded and drawn: what both decoders export. The input begins with what a container
// says of the picture: width, height (16 bits each, little-endian) and the bits of a sample.
#pragma once
#include "host.h"

struct Canvas;
struct Picture;

extern "C" {
Canvas *canvas_open(int width, int rows, int deep);
uint8_t *canvas_band(Canvas *);
void canvas_close(Canvas *);
void picture_close(Picture *);
void picture_colors(Picture *, int matrix, int full_range);
void picture_draw(Picture *, Canvas *, int x, int y, int width, int rows, int to_x);
void picture_draw_alpha(Picture *, Canvas *, int x, int y, int width, int rows, int to_x);
void canvas_unpremultiply(Canvas *, int rows);
}

namespace stills {

enum { HEADER_BYTES = 5, MOST_PIXELS = 1 << 18 };

struct Claim {
  int width, height, bits;
};

inline void draw(Input &input, Picture *picture, const Claim &claim) {
  const int canvas_width = input.number(1, 2 * claim.width), most = input.number(1, 40);
  const int x = input.number(0, claim.width - 1), to_x = input.number(0, canvas_width - 1);
  const int width = std::min(claim.width - x, canvas_width - to_x);
  const bool alpha = input.flag(), deep = input.flag();
  if (input.flag()) picture_colors(picture, input.number(0, 16), input.flag());
  Canvas *canvas = canvas_open(canvas_width, most, deep);
  if (!canvas) return;
  memset(canvas_band(canvas), 0x40, (size_t)canvas_width * most * (deep ? 8 : 4));
  for (int y = input.number(0, claim.height - 1); y < claim.height; y += most) {
    const int rows = std::min(most, claim.height - y);
    picture_draw(picture, canvas, x, y, width, rows, to_x);
    if (alpha) picture_draw_alpha(picture, canvas, x, y, width, rows, to_x);
    if (alpha && !deep) canvas_unpremultiply(canvas, rows);
  }
  canvas_close(canvas);
}

// What the container says of the file; false where it is not for a decoder.
inline bool claimed(const Bytes &file, Claim &claim) {
  if (file.size() < HEADER_BYTES) return false;
  claim = {file[0] | file[1] << 8, file[2] | file[3] << 8, file[4]};
  return claim.width >= 1 && claim.height >= 1 && claim.width * claim.height <= MOST_PIXELS;
}

// `decode` takes the bytes, which are its own to free, and calls the module in ways that end where that says `fail`.
template <typename Decode>
void read_unguarded(Input &input, Decode decode) {
  const Bytes file = host::file(input);
  Claim claim;
  if (!claimed(file, claim)) return;
  const size_t size = file.size() - HEADER_BYTES;
  auto *bytes = (uint8_t *)__wrap_malloc(size);
  if (!bytes) return;
  std::copy(file.begin() + HEADER_BYTES, file.end(), bytes);
  Picture *const picture = decode(bytes, size, claim);
  if (!picture) return;
  draw(input, picture, claim);
  picture_close(picture);
}

// `decode` gives the bytes, which are the module's to free, to its decoder.
template <typename Decode>
void read(Input &input, Decode decode) {
  read_unguarded(input, [&](uint8_t *bytes, size_t size, const Claim &claim) {
    static Picture *picture;
    picture = nullptr;
    host::run([&] { picture = decode(bytes, size, claim); });
    return picture;
  });
}

}  // namespace stills
