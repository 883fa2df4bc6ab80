// Encodes pictures of JPEG XL from rows of RGBA8 or RGBA16 in sRGB or Display P3: a row of groups is made as soon as its rows are there.
#include <string.h>

#include "../native.h"
#include "exact.h"
#include "lib/jxl/enc_aux_out.h"
#include "lib/jxl/enc_fields.h"
#include "lib/jxl/memory_manager_internal.h"
#include "lossy.h"

extern "C" void IMPORT_AS(write_bytes, write)(const uint8_t *bytes, size_t size);

using namespace jxl;

// How finely trees are learned: the part of all pixels that is looked at.
static constexpr float kLearnedPart = 0.5f;
// Samples of so many bits stay within 16 whatever transforms do to them.
static constexpr uint32_t kMostNarrowBits = 12;

struct Encoder {
  File file;
  CompressParams params;
  bool lossless = false;
  FrameOptions options = {};
  std::unique_ptr<Frame> frame;
  // A window of the rows: those from `top` to before `bottom`.
  std::vector<uint8_t> rows;
  size_t top = 0, bottom = 0;
  // The next row of groups.
  size_t group = 0;
};

// Of red, green and blue.
static Status set_colors(File *file) {
  ColorEncoding &colors = file->metadata.m.color_encoding;
  colors = ColorEncoding::SRGB();
  if (!file->wide) return true;
  JxlColorEncoding named = colors.ToExternal();
  named.primaries = JXL_PRIMARIES_P3;
  return colors.FromExternal(named);
}

static Status begin(Encoder *encoder, int ticks, int loops) {
  CodecMetadata *const metadata = &encoder->file.metadata;
  JXL_RETURN_IF_ERROR(metadata->size.Set(encoder->options.width, encoder->options.height));
  metadata->m.SetUintSamples(encoder->file.bits);
  JXL_RETURN_IF_ERROR(set_colors(&encoder->file));
  metadata->m.xyb_encoded = !encoder->lossless;
  metadata->m.modular_16_bit_buffer_sufficient = encoder->file.bits <= kMostNarrowBits;
  if (encoder->options.alpha) metadata->m.SetAlphaBits(encoder->lossless ? encoder->file.bits : 8);
  if (ticks > 0) {
    metadata->m.have_animation = true;
    metadata->m.animation.tps_numerator = ticks;
    metadata->m.animation.tps_denominator = 1;
    metadata->m.animation.num_loops = loops;
  }
  BitWriter writer(&encoder->file.manager);
  JXL_RETURN_IF_ERROR(WriteCodestreamHeaders(metadata, &writer, nullptr));
  JXL_RETURN_IF_ERROR(writer.WithMaxBits(8, LayerType::Header, nullptr, [&]() -> Status {
    writer.ZeroPadToByte();
    return true;
  }));
  const Span<const uint8_t> header = writer.GetSpan();
  write_bytes(header.data(), header.size());
  return true;
}

static CompressParams params_of(bool alpha, bool lossless, float distance, int tier) {
  CompressParams params;
  params.butteraugli_distance = params.original_butteraugli_distance = distance;
  params.speed_tier = (SpeedTier)tier;
  params.resampling = params.ec_resampling = 1;
  params.ec_distance.assign(alpha ? 1 : 0, 0);
  if (lossless) params.SetLossless();
  params.options.nb_repeats = lossless ? kLearnedPart : 0;
  return params;
}

static size_t row_bytes(const Encoder *encoder) { return encoder->options.width * encoder->file.pixel_bytes(); }

// Rows of groups of which all rows are there that they look at.
static Status advance(Encoder *encoder) {
  const size_t height = encoder->options.height, rows = encoder->frame->group_rows();
  const size_t border = encoder->frame->border_rows();
  for (; encoder->group * rows < height; encoder->group++) {
    const size_t until = (encoder->group + 1) * rows + border;
    if (encoder->bottom < until && encoder->bottom < height) return true;
    const Rows window = {encoder->rows.data(), encoder->top, encoder->options.width, encoder->file.pixel_bytes()};
    JXL_RETURN_IF_ERROR(encoder->frame->groups(window, encoder->group));
    const size_t next = until - 2 * border;
    if (encoder->bottom > next) {
      memmove(encoder->rows.data(), window.row(next), (encoder->bottom - next) * row_bytes(encoder));
    }
    encoder->top = next;
  }
  return true;
}

extern "C" {

// `ticks` a second, of an animation; 0 in a still picture. Distance is 0 where nothing may be lost; tiers are libjxl's.
// Colors are those of Display P3 where they are `wide`. Rows are of RGBA16 where samples have more than 8 `bits`.
Encoder *EXPORT(jxl_open)(int width, int height, int alpha, float distance, int tier, int ticks, int loops, int wide,
                          int bits) {
  Encoder *const encoder = new Encoder;
  encoder->options = {(size_t)width, (size_t)height, alpha != 0, 0};
  encoder->lossless = distance == 0;
  encoder->file.wide = wide != 0;
  encoder->file.bits = bits;
  encoder->params = params_of(alpha != 0, encoder->lossless, distance, tier);
  if (MemoryManagerInit(&encoder->file.manager, nullptr) && begin(encoder, ticks, loops)) return encoder;
  delete encoder;
  return nullptr;
}

// Begins a frame. Returns 0 where memory does not suffice.
int EXPORT(jxl_frame)(Encoder *encoder, int duration) {
  encoder->options.duration = duration;
  if (encoder->lossless) {
    encoder->frame.reset(new ExactFrame(&encoder->file, encoder->params, encoder->options));
  } else {
    encoder->frame.reset(new LossyFrame(&encoder->file, encoder->params, encoder->options));
  }
  encoder->top = encoder->bottom = encoder->group = 0;
  if (!encoder->frame->open()) return 0;
  const size_t most = encoder->frame->group_rows() + 2 * encoder->frame->border_rows();
  encoder->rows.resize(std::min(most, encoder->options.height) * row_bytes(encoder));
  return 1;
}

// How many rows are taken next; 0 when there are none left.
int EXPORT(jxl_wanted)(Encoder *encoder) {
  const size_t until = (encoder->group + 1) * encoder->frame->group_rows() + encoder->frame->border_rows();
  return (int)(std::min(until, encoder->options.height) - encoder->bottom);
}

// Where the rows that are wanted go.
uint8_t *EXPORT(jxl_band)(Encoder *encoder) {
  return encoder->rows.data() + (encoder->bottom - encoder->top) * row_bytes(encoder);
}

// Takes the rows that were wanted. May pause. Returns 0 where memory does not suffice.
int EXPORT(jxl_rows)(Encoder *encoder, int count) {
  encoder->bottom += count;
  return advance(encoder) ? 1 : 0;
}

// Writes the frame. May pause. Returns 0 where memory does not suffice.
int EXPORT(jxl_finish)(Encoder *encoder, int last) {
  std::vector<uint8_t>().swap(encoder->rows);
  const bool done = encoder->frame->finish(last != 0);
  encoder->frame.reset();
  return done ? 1 : 0;
}

void EXPORT(jxl_close)(Encoder *encoder) { delete encoder; }
}
