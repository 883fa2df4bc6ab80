// Decodes the frames of a codestream, of which the decoder gets a row of groups at a time, into rows that are read as they
// are complete. What data comes next only the decoder knows, which is why its source is part of this file.
#include "lib/jxl/decode.cc"

#include <math.h>

#include "../native.h"
#include "codestream.h"
#include "strips.h"

namespace {

// What pixels become, as decoder.ts numbers it.
enum Output {
  // As the file has them.
  OUTPUT_STORED,
  // sRGB, into which the decoder brings its own color space; gray stays gray.
  OUTPUT_SRGB,
  // Linear light in the file becomes samples of 8 bits with the curve of sRGB.
  OUTPUT_FROM_LINEAR,
  // Cyan, magenta, yellow and black, 255 being no ink.
  OUTPUT_INKS,
  // Colors of the inks, black included, on ideal paper.
  OUTPUT_COLORS_OF_INKS,
};

enum Step { STEP_ROWS, STEP_FRAME, STEP_FRAME_END, STEP_END };

// While headers are read, of which nobody knows the length, and what follows them may be a picture in few bytes.
constexpr size_t LEAST_FEED = 256;
constexpr size_t MOST_HEADER_FEED = 64 << 10;
constexpr size_t LEVELS = 65536;
constexpr size_t DEEP_PIXEL_BYTES = 8, PIXEL_BYTES = 4;

class Decoder {
 public:
  Decoder(int source, size_t size, Output output, bool is_gray, bool is_sixteen_bit)
      : source_(source), size_(size), output_(output), is_gray_(is_gray), is_sixteen_bit_(is_sixteen_bit) {}
  ~Decoder();

  bool Open(size_t width, size_t height, int black);
  Step Next();
  double Duration() const { return duration_; }
  Strips* Rows() { return &strips_; }
  const uint8_t* Alpha() const { return black_; }

 private:
  void Feed();
  bool HasSections();
  size_t Wanted();
  bool ChooseColors();
  bool SetOutput();
  static void* Allocate(void* opaque, size_t size);
  static void Free(void* opaque, void* address);
  static void Receive(void* opaque, size_t x, size_t y, size_t count, const void* pixels);
  void Write(size_t x, size_t y, size_t count, const void* pixels);
  void AddInks();

  JxlDecoder* decoder_ = nullptr;
  int source_;
  size_t size_, at_ = 0;
  // Fed since data was last known by its length.
  size_t headers_ = 0;
  // Sections of the frame that were decoded when more data was asked for last.
  size_t done_ = SIZE_MAX;
  Output output_;
  bool is_gray_, is_sixteen_bit_;
  int black_channel_ = -1;
  size_t width_ = 0, height_ = 0;
  uint8_t *input_ = nullptr, *black_ = nullptr;
  uint16_t* levels_ = nullptr;
  double duration_ = 0;
  bool has_failed_ = false;
  Strips strips_;
};

Decoder::~Decoder() {
  JxlDecoderDestroy(decoder_);
  free(input_);
  free(black_);
  free(levels_);
}

// The curve of sRGB (IEC 61966-2-1) for all levels of linear light, up to `most`.
bool MakeLevels(float most, uint16_t** levels) {
  *levels = static_cast<uint16_t*>(malloc(LEVELS * sizeof(uint16_t)));
  if (*levels == nullptr) return false;
  for (size_t level = 0; level < LEVELS; level++) {
    const float light = static_cast<float>(level) / (LEVELS - 1);
    const float sample = light <= 0.0031308f ? 12.92f * light : 1.055f * powf(light, 1 / 2.4f) - 0.055f;
    (*levels)[level] = static_cast<uint16_t>(sample * most + 0.5f);
  }
  return true;
}

bool Decoder::Open(size_t width, size_t height, int black) {
  width_ = width;
  height_ = height;
  black_channel_ = black;
  if (!strips_.Open(width, height, is_sixteen_bit_ ? DEEP_PIXEL_BYTES : PIXEL_BYTES)) return false;
  if (output_ == OUTPUT_FROM_LINEAR && !MakeLevels(is_sixteen_bit_ ? LEVELS - 1 : 255, &levels_)) return false;
  if (output_ >= OUTPUT_INKS) {
    black_ = static_cast<uint8_t*>(malloc(width * height));
    if (black_ == nullptr) return false;
  }
  const JxlMemoryManager memory = {this, Allocate, Free};
  decoder_ = JxlDecoderCreate(&memory);
  if (decoder_ == nullptr) return false;
  decoder_->most_sections = 1;
  const int events = JXL_DEC_COLOR_ENCODING | JXL_DEC_FRAME | JXL_DEC_FULL_IMAGE;
  return JxlDecoderSubscribeEvents(decoder_, events) == JXL_DEC_SUCCESS &&
         JxlDecoderSetKeepOrientation(decoder_, JXL_TRUE) == JXL_DEC_SUCCESS &&
         JxlDecoderSetUnpremultiplyAlpha(decoder_, JXL_TRUE) == JXL_DEC_SUCCESS;
}

// Bytes that bring a row of groups, or a piece of headers. A picture can have far less data than pixels, which must not
// all come at once.
size_t Decoder::Wanted() {
  if (decoder_->frame_stage != FrameStage::kFull) {
    const size_t length = std::min(std::max(LEAST_FEED, headers_ / 2), MOST_HEADER_FEED);
    headers_ += length;
    return length + decoder_->codestream_pos;
  }
  headers_ = 0;
  const auto& toc = decoder_->frame_dec->Toc();
  const size_t has = decoder_->codestream_copy.size() - decoder_->codestream_pos;
  const size_t groups = decoder_->frame_header->ToFrameDimensions().xsize_groups;
  size_t end = 0;
  size_t sections = 0;
  for (size_t at = decoder_->next_section; at < toc.size() && sections < groups; at++) {
    end += toc[at].size;
    if (end > has) sections++;
  }
  return end > has ? end - has : 1;
}

// Whether there are sections that can be decoded without further data. Where none of those could be that were tried, they
// wait for another one, and all that there are are tried at a time.
bool Decoder::HasSections() {
  if (decoder_->frame_stage != FrameStage::kFull) {
    decoder_->most_sections = 1;
    done_ = SIZE_MAX;
    return false;
  }
  const auto& toc = decoder_->frame_dec->Toc();
  const auto& processed = decoder_->section_processed;
  const size_t has = decoder_->codestream_copy.size() - decoder_->codestream_pos;
  const size_t done = std::count(processed.begin(), processed.end(), 1);
  size_t at = decoder_->next_section;
  size_t end = 0;
  for (; at < toc.size() && (end += toc[at].size) <= has; at++) {
    if (!processed[at]) break;
  }
  const bool has_some = at < toc.size() && end <= has;
  if (has_some && done == done_) {
    const bool were_all = decoder_->most_sections == SIZE_MAX;
    decoder_->most_sections = SIZE_MAX;
    return !were_all;
  }
  decoder_->most_sections = decoder_->frame_header->ToFrameDimensions().xsize_groups;
  done_ = done;
  return has_some;
}

void Decoder::Feed() {
  at_ -= JxlDecoderReleaseInput(decoder_);
  if (HasSections()) return;
  const size_t length = std::min(Wanted(), size_ - at_);
  if (length == 0) fail("cut short");
  free(input_);
  input_ = static_cast<uint8_t*>(malloc(length));
  if (input_ == nullptr) fail("out of memory");
  pull(source_, at_, input_, length);
  at_ += length;
  if (JxlDecoderSetInput(decoder_, input_, length) != JXL_DEC_SUCCESS) fail("damaged");
}

bool Decoder::ChooseColors() {
  if (output_ != OUTPUT_SRGB) return true;
  const JxlColorEncoding colors = jxl::ColorEncoding::SRGB(is_gray_).ToExternal();
  return JxlDecoderSetPreferredColorProfile(decoder_, &colors) == JXL_DEC_SUCCESS;
}

bool Decoder::SetOutput() {
  const JxlDataType type = is_sixteen_bit_ || output_ == OUTPUT_FROM_LINEAR ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8;
  const JxlPixelFormat pixels = {4, type, JXL_NATIVE_ENDIAN, 0};
  if (JxlDecoderSetImageOutCallback(decoder_, &pixels, Receive, this) != JXL_DEC_SUCCESS) return false;
  if (black_ == nullptr) return true;
  const JxlPixelFormat black = {1, JXL_TYPE_UINT8, JXL_NATIVE_ENDIAN, 0};
  return JxlDecoderSetExtraChannelBuffer(decoder_, &black, black_, width_ * height_, black_channel_) ==
         JXL_DEC_SUCCESS;
}

void* Decoder::Allocate(void* opaque, size_t size) {
  void* const address = malloc(size);
  if (address == nullptr) static_cast<Decoder*>(opaque)->has_failed_ = true;
  return address;
}

void Decoder::Free(void*, void* address) { free(address); }

void Decoder::Receive(void* opaque, size_t x, size_t y, size_t count, const void* pixels) {
  static_cast<Decoder*>(opaque)->Write(x, y, count, pixels);
}

void Decoder::Write(size_t x, size_t y, size_t count, const void* pixels) {
  uint8_t* const to = has_failed_ ? nullptr : strips_.Place(x, y, count);
  if (to == nullptr) {
    has_failed_ = true;
    return;
  }
  if (levels_ == nullptr) {
    memcpy(to, pixels, count * (is_sixteen_bit_ ? DEEP_PIXEL_BYTES : PIXEL_BYTES));
    return;
  }
  const uint16_t* const from = static_cast<const uint16_t*>(pixels);
  if (is_sixteen_bit_) {
    uint16_t* const deep = reinterpret_cast<uint16_t*>(to);
    for (size_t at = 0; at < count * 4; at++) deep[at] = at % 4 < 3 ? levels_[from[at]] : from[at];
    return;
  }
  for (size_t at = 0; at < count * 4; at++) {
    to[at] = at % 4 < 3 ? static_cast<uint8_t>(levels_[from[at]]) : static_cast<uint8_t>((from[at] * 255u + LEVELS / 2) / (LEVELS - 1));
  }
}

// Black joins the other inks once all of it is there. The plane that it came in then holds the alpha of the pixels.
void Decoder::AddInks() {
  if (black_ == nullptr) return;
  for (size_t y = 0; y < height_; y++) {
    uint8_t* row = strips_.Complete(y);
    if (row == nullptr) return;
    for (size_t x = 0; x < width_; x++, row += 4) {
      const unsigned black = black_[y * width_ + x];
      if (output_ == OUTPUT_INKS) {
        black_[y * width_ + x] = row[3];
        row[3] = black;
      } else {
        for (size_t channel = 0; channel < 3; channel++) row[channel] = (row[channel] * black + 127) / 255;
      }
    }
  }
}

Step Decoder::Next() {
  for (;;) {
    const JxlDecoderStatus status = JxlDecoderProcessInput(decoder_);
    if (has_failed_) fail("out of memory");
    switch (status) {
      case JXL_DEC_COLOR_ENCODING:
        if (!ChooseColors()) fail("damaged");
        break;
      case JXL_DEC_FRAME: {
        JxlFrameHeader frame;
        if (JxlDecoderGetFrameHeader(decoder_, &frame) != JXL_DEC_SUCCESS) fail("damaged");
        duration_ = frame.duration;
        strips_.Clear();
        return STEP_FRAME;
      }
      case JXL_DEC_NEED_IMAGE_OUT_BUFFER:
        if (!SetOutput()) fail("damaged");
        break;
      case JXL_DEC_NEED_MORE_INPUT:
        Feed();
        if (black_ == nullptr && strips_.Ready(1) > 0) return STEP_ROWS;
        break;
      case JXL_DEC_FULL_IMAGE:
        AddInks();
        return STEP_FRAME_END;
      case JXL_DEC_SUCCESS:
        return STEP_END;
      default:
        fail("damaged");
    }
  }
}

}  // namespace

extern "C" {

// A decoder of the codestream `source` of `size` bytes, whose canvas has `width` x `height` pixels. `black` is the number
// of the extra channel with black ink, if the output is to have it. Rows are of RGBA16 where they are to have 16 bits a
// sample, as those of inks are not. NULL where memory does not suffice.
Decoder* EXPORT(decoder_open)(int source, size_t size, int output, int is_gray, size_t width, size_t height, int black,
                              int is_sixteen_bit) {
  Decoder* const decoder = new Decoder(source, size, static_cast<Output>(output), is_gray != 0, is_sixteen_bit != 0);
  if (decoder->Open(width, height, black)) return decoder;
  delete decoder;
  return nullptr;
}

// Decodes on: until rows are complete, a frame begins, its pixels have all come, or there is no further frame.
int EXPORT(decoder_next)(Decoder* decoder) { return decoder->Next(); }

// How long the frame is shown, in ticks of the animation.
double EXPORT(decoder_duration)(const Decoder* decoder) { return decoder->Duration(); }

// Complete rows from the first unread one on, at most `most`; `decoder_rows` says where they lie.
int EXPORT(decoder_ready)(Decoder* decoder, int most) { return static_cast<int>(decoder->Rows()->Ready(most)); }

// The rows that are ready; they count as read and stay until this is called again or a frame begins.
const uint8_t* EXPORT(decoder_rows)(Decoder* decoder, int rows) {
  const uint8_t* const pixels = decoder->Rows()->Rows();
  decoder->Rows()->Take(rows);
  return pixels;
}

// The alpha of all pixels of a frame of inks, one byte each, once rows of it are ready.
const uint8_t* EXPORT(decoder_alpha)(const Decoder* decoder) { return decoder->Alpha(); }

void EXPORT(decoder_close)(Decoder* decoder) { delete decoder; }

}  // extern "C"
