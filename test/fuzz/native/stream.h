// Rows pushed through a stream of `effects/stream.c`.
#pragma once
#include "host.h"

struct Stream;

extern "C" {
void stream_close(Stream *);
uint8_t *stream_window(Stream *);
uint8_t *stream_band(Stream *);
int stream_room(const Stream *);
void stream_commit(Stream *, int rows);
int stream_read(Stream *, int most);
}

namespace stream {

// Takes all rows of a picture through a stream, some at a time, and closes it.
inline void run(Input &input, Stream *s, int width, int result_width, int result_height, bool opaque) {
  if (!s) return;
  const int most_in = input.number(1, 16), most_out = input.number(1, 20);
  const Bytes bytes = input.ConsumeRemainingBytes<uint8_t>();
  size_t at = 0;
  for (int made = 0; made < result_height;) {
    const int room = std::min(most_in, stream_room(s));
    uint8_t *window = stream_window(s);
    for (int i = 0; i < room * width * 4; i++, at++)
      window[i] = opaque && i % 4 == 3 ? 255 : bytes.empty() ? (uint8_t)(at * 5 >> 1) : bytes[at % bytes.size()];
    if (room > 0) stream_commit(s, room);
    const int rows = stream_read(s, most_out);
    host::look_at(stream_band(s), (size_t)result_width * rows * 4);
    if (room == 0 && rows == 0) host::wrong("the stream neither takes nor gives rows");
    made += rows;
  }
  stream_close(s);
}

}  // namespace stream
