// A still picture of AV1 or HEVC decoded and drawn: what both decoders export. The input begins with what a container
// says of the picture: width, height (16 bits each, little-endian), the bits of a sample, and how many bytes are its own
// (32 bits): decoders refuse what follows those, so the rest of the input is not given to them.
#pragma once
#include "host.h"

struct Canvas;
struct Picture;

extern "C" {
// A module that says STILLS_OF_8_BITS has no canvas of 16.
#ifdef STILLS_OF_8_BITS
Canvas *canvas_open(int width, int rows);
#else
Canvas *canvas_open(int width, int rows, int deep);
#endif
uint8_t *canvas_band(Canvas *);
void canvas_close(Canvas *);
void picture_close(Picture *);
void picture_colors(Picture *, int matrix, int full_range);
void picture_draw(Picture *, Canvas *, int x, int y, int width, int rows, int to_x);
void picture_draw_alpha(Picture *, Canvas *, int x, int y, int width, int rows, int to_x);
void canvas_unpremultiply(Canvas *, int rows);
}

namespace stills {

enum { HEADER_BYTES = 9, MOST_PIXELS = 1 << 18 };

struct Claim {
  int width, height, bits;
  uint32_t bytes;
};

inline Canvas *canvas(int width, int rows, [[maybe_unused]] bool deep) {
#ifdef STILLS_OF_8_BITS
  return canvas_open(width, rows);
#else
  return canvas_open(width, rows, deep);
#endif
}

inline void draw(Input &input, Picture *picture, const Claim &claim) {
  const int canvas_width = input.number(1, 2 * claim.width), most = input.number(1, 40);
  const int x = input.number(0, claim.width - 1), to_x = input.number(0, canvas_width - 1);
  const int width = std::min(claim.width - x, canvas_width - to_x);
  const bool alpha = input.flag();
#ifdef STILLS_OF_8_BITS
  const bool deep = false;
#else
  const bool deep = input.flag();
#endif
  if (input.flag()) picture_colors(picture, input.number(0, 16), input.flag());
  Canvas *const drawn = canvas(canvas_width, most, deep);
  if (!drawn) return;
  memset(canvas_band(drawn), 0x40, (size_t)canvas_width * most * (deep ? 8 : 4));
  for (int y = input.number(0, claim.height - 1); y < claim.height; y += most) {
    const int rows = std::min(most, claim.height - y);
    picture_draw(picture, drawn, x, y, width, rows, to_x);
    if (alpha) picture_draw_alpha(picture, drawn, x, y, width, rows, to_x);
    if (alpha && !deep) canvas_unpremultiply(drawn, rows);
  }
  canvas_close(drawn);
}

// What the container says of the file; false where it is not for a decoder.
inline bool claimed(const Bytes &file, Claim &claim) {
  if (file.size() < HEADER_BYTES) return false;
  const uint32_t bytes = file[5] | file[6] << 8 | file[7] << 16 | (uint32_t)file[8] << 24;
  claim = {file[0] | file[1] << 8, file[2] | file[3] << 8, file[4], bytes};
  return claim.width >= 1 && claim.height >= 1 && claim.width * claim.height <= MOST_PIXELS;
}

// The bytes that are the decoder's.
inline Bytes units(const Bytes &file, const Claim &claim) {
  const size_t size = std::min<size_t>(claim.bytes, file.size() - HEADER_BYTES);
  return Bytes(file.begin() + HEADER_BYTES, file.begin() + HEADER_BYTES + size);
}

// `decode` takes the bytes, which are its own to free, and calls the module in ways that end where that says `fail`.
template <typename Decode>
void read_unguarded(Input &input, Decode decode) {
  const Bytes file = host::file(input);
  Claim claim;
  if (!claimed(file, claim)) return;
  const Bytes own = units(file, claim);
  const size_t size = own.size();
  auto *bytes = (uint8_t *)__wrap_malloc(size);
  if (!bytes) return;
  std::copy(own.begin(), own.end(), bytes);
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
