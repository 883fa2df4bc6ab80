// Parts of a picture in other sizes, in which the networks look for faces.
#include "host.h"

struct Picture;
struct Search;

extern "C" {
Picture *picture_open(int width, int height);
void picture_close(Picture *);
uint8_t *picture_window(Picture *);
void picture_commit(Picture *, int rows);
Search *search_open(const Picture *, float x, float y, float across, float down, int width, int height, float least);
int search_row(Search *);
int search_count(const Search *);
const void *search_hits(const Search *);
void search_close(Search *);
uint8_t *weights_room(int network, size_t bytes);
float mmod_score(const Picture *, float x, float y, float across, float down);
}

enum { WINDOW_ROWS = 16, HIT_BYTES = 20, MMOD = 1, MMOD_BYTES = 210976 };

// The network in floats is made by the first search, and stays. The weights of the third are anything, floats among them.
static void make_networks() {
  uint8_t *weights = weights_room(MMOD, MMOD_BYTES);
  for (uint32_t i = 0, state = 1; i < MMOD_BYTES; i++) weights[i] = (uint8_t)((state = state * 1664525 + 1013904223) >> 24);
  Picture *picture = picture_open(1, 1);
  search_close(search_open(picture, 0, 0, 1, 1, 1, 1, 0));
  picture_close(picture);
}

static void look(Input &input, const Picture *picture, int width, int height) {
  const float x = input.ConsumeFloatingPointInRange(-100.0f, 1.5f * width);
  const float y = input.ConsumeFloatingPointInRange(-100.0f, 1.5f * height);
  const float across = input.ConsumeFloatingPointInRange(1.0f, 600.0f), down = input.ConsumeFloatingPointInRange(1.0f, 600.0f);
  // A low one makes hits of anything, more than there is room for.
  const float least = input.ConsumeFloatingPointInRange(-60.0f, 5.0f);
  const int to_width = input.number(1, 150), to_height = input.number(1, 150);
  Search *search = search_open(picture, x, y, across, down, to_width, to_height, least);
  if (!search) return;
  bool more = true;
  for (int rows = input.number(1, 20); more && rows > 0; rows--) more = search_row(search);
  host::look_at(search_hits(search), (size_t)search_count(search) * HIT_BYTES);
  search_close(search);
}

static void ask(Input &input, const Picture *picture, int width, int height) {
  const float x = input.ConsumeFloatingPointInRange(-300.0f, 1.5f * width);
  const float y = input.ConsumeFloatingPointInRange(-300.0f, 1.5f * height);
  const float side = input.ConsumeFloatingPointInRange(1.0f, 900.0f);
  mmod_score(picture, x, y, input.ConsumeBool() ? side : -side, side);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const bool made = (make_networks(), true);
  (void)made;
  Input input(data, size);
  host::Account account;
  host::choose_limit(input);
  const int width = input.number(1, 300), height = input.number(1, 200), searches = input.number(1, 3);
  const Bytes bytes = input.ConsumeBytes<uint8_t>(input.number(0, 2000));
  Picture *picture = picture_open(width, height);
  if (!picture) return 0;
  for (int top = 0; top < height; top += WINDOW_ROWS) {
    const int rows = std::min<int>(WINDOW_ROWS, height - top);
    for (int i = 0; i < rows * width * 4; i++) picture_window(picture)[i] = host::repeated(bytes, (size_t)top * width * 4 + i);
    picture_commit(picture, rows);
  }
  for (int i = 0; i < searches; i++) look(input, picture, width, height);
  if (input.ConsumeBool()) ask(input, picture, width, height);
  picture_close(picture);
  return 0;
}
