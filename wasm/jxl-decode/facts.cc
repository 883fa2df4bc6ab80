// What a codestream says before its pixels are decoded: its headers, and those of all its frames, over whose data it goes
// by their tables of contents.
#include "facts.h"

#include <algorithm>
#include <vector>

#include "codestream.h"
#include "lib/jxl/dec_ans.h"
#include "lib/jxl/dec_bit_reader.h"
#include "lib/jxl/chroma_from_luma.h"
#include "lib/jxl/dec_noise.h"
#include "lib/jxl/entropy_coder.h"
#include "lib/jxl/fields.h"
#include "lib/jxl/frame_header.h"
#include "lib/jxl/icc_codec.h"
#include "lib/jxl/image_metadata.h"
#include "lib/jxl/memory_manager_internal.h"
#include "lib/jxl/modular/encoding/context_predict.h"
#include "lib/jxl/modular/encoding/dec_ma.h"
#include "lib/jxl/modular/encoding/encoding.h"
#include "lib/jxl/modular/options.h"
#include "lib/jxl/padded_bytes.h"
#include "lib/jxl/dec_patch_dictionary.h"
#include "lib/jxl/patch_dictionary_internal.h"
#include "lib/jxl/quant_weights.h"
#include "lib/jxl/quantizer.h"
#include "lib/jxl/toc.h"
#include "../native.h"

using jxl::BitReader;
using jxl::FrameHeader;
using jxl::Status;

namespace {

// Headers are read from a piece of the file, and again from a larger one where they are longer.
constexpr size_t FIRST_WINDOW = 1 << 10;
constexpr size_t WINDOW_GROWTH = 8;
constexpr size_t LARGEST_WINDOW = 8 << 20;
// Nodes of a tree that is gone through in no time.
constexpr size_t FEW_NODES = 200;
// Nodes of a tree, as the decoder bounds them.
constexpr size_t MOST_TREE = 1 << 22;
// Of a node of a tree, in the two forms that it has while samples are decoded.
constexpr double NODE_BYTES = 96;
// Of a tree that was not read.
constexpr double UNREAD_TREE_BYTES = 2 << 20;
// Patches of all frames of a file that are gone through in no time, each once for the colors and once for each other channel.
constexpr size_t MOST_BLENDINGS = 1 << 16;
// Of a patch: where it lies, what it is cut from, and its place in two orders and in a tree; and of how a channel of it is
// blended. What is read is twice there while it grows.
constexpr double PATCH_BYTES = 120;
constexpr double BLENDING_BYTES = 24;
// Codes of samples in modular mode: tables of clusters of contexts.
constexpr double CODES_BYTES = 1 << 20;
// The window of a reader that copies what it read before (LZ77). Any reader may have one; those of passes are read by turns.
constexpr double WINDOW_BYTES = 4.2 * (1 << 20);
// What transforms of blocks take whatever the size of the picture: weights of all kinds of blocks, room for the largest one,
// and for low frequencies of the group that is decoded.
constexpr double TRANSFORM_BYTES = 7 << 20;
// Codes and orders of coefficients of a pass.
constexpr double PASS_BYTES = 1.5 * (1 << 20);
// What rows of planes are rounded up to, and which lengths are avoided, in bytes (BytesPerRow of libjxl).
constexpr size_t ROW_ALIGNMENT = 128;
constexpr size_t ROW_ALIAS = 2048;
// What columns around a group are rounded up to.
constexpr size_t COLUMN_ALIGNMENT = 16;
// Rows that a filter has for each channel, and one that makes pictures larger.
constexpr size_t FILTER_ROWS = 8;
constexpr size_t UPSAMPLING_ROWS = 16;
// Splines are cut into segments, which are sorted by rows.
constexpr double SPLINES_BYTES = 2 << 20;
// Slots for frames that later ones refer to, and for those that hold the low frequencies of others.
constexpr size_t SLOTS = 4;

struct Facts {
  jxl::CodecMetadata metadata;
  std::vector<uint8_t> profile;
  double numbers[FACT_COUNT];
  double slots[SLOTS];
  double low_frequencies[SLOTS];
};

class Walker {
 public:
  Walker(Facts* facts, int source, size_t size) : facts_(facts), source_(source), size_(size) {
    (void)jxl::MemoryManagerInit(&memory_, nullptr);
  }

  bool Walk(size_t most_frames);

 private:
  // Reads with `work` what begins at the current place, and goes behind it.
  template <class Work>
  bool Parse(const Work& work);
  Status ReadHead(BitReader* reader);
  Status ReadProfile(BitReader* reader);
  bool ReadFrame(bool is_preview, FrameHeader* frame);
  bool IsInGroups(const FrameHeader& frame);
  double PipelineBytes(const FrameHeader& frame, bool is_alone) const;
  struct ModularMemory {
    double channels, undoing;
  };
  ModularMemory ModularBytes(const FrameHeader& frame) const;
  void Note(const FrameHeader& frame);
  void Tell();

  Facts* facts_;
  int source_;
  size_t size_;
  size_t at_ = 0;
  JxlMemoryManager memory_;
  std::vector<uint32_t> sizes_;
  bool permuted_ = false;
  // Buffers of the frame before, which are there until those of this frame take their place.
  double left_ = 0;
  // Channels of the frame may be squeezed.
  bool squeezed_ = true;
  double tree_ = UNREAD_TREE_BYTES;
  // What patches of the frame take.
  double patches_ = 0;
  // How many may be gone through still.
  size_t blendings_left_ = MOST_BLENDINGS;
  // The samples of the frame are predicted by weights that follow them, or by many rules.
  bool weighed_ = true;
};

template <class Work>
bool Walker::Parse(const Work& work) {
  for (size_t window = FIRST_WINDOW;; window *= WINDOW_GROWTH) {
    const size_t length = std::min(window, size_ - at_);
    // A reader of nothing would read from address 0.
    if (length == 0) return false;
    std::vector<uint8_t> bytes(length);
    pull(source_, at_, bytes.data(), length);
    BitReader reader(jxl::Bytes(bytes.data(), length));
    bool read = static_cast<bool>(work(&reader));
    read = read && static_cast<bool>(reader.JumpToByteBoundary());
    const bool within = reader.AllReadsWithinBounds();
    const size_t used = reader.TotalBitsConsumed() / jxl::kBitsPerByte;
    (void)reader.Close();
    if (read && within) {
      at_ += used;
      return true;
    }
    if (length == size_ - at_ || window >= LARGEST_WINDOW) return false;
  }
}

Status Walker::ReadHead(BitReader* reader) {
  jxl::CodecMetadata metadata;
  if (reader->ReadBits(16) != (0xff | jxl::kCodestreamMarker << 8)) return JXL_FAILURE("not a codestream");
  JXL_RETURN_IF_ERROR(jxl::Bundle::Read(reader, &metadata.size));
  JXL_RETURN_IF_ERROR(jxl::Bundle::Read(reader, &metadata.m));
  metadata.transform_data.nonserialized_xyb_encoded = metadata.m.xyb_encoded;
  JXL_RETURN_IF_ERROR(jxl::Bundle::Read(reader, &metadata.transform_data));
  facts_->metadata = metadata;
  return metadata.m.color_encoding.WantICC() ? ReadProfile(reader) : Status(true);
}

Status Walker::ReadProfile(BitReader* reader) {
  jxl::ICCReader profile(&memory_);
  jxl::PaddedBytes bytes{&memory_};
  JXL_RETURN_IF_ERROR(profile.Init(reader));
  if (!reader->AllReadsWithinBounds()) return JXL_FAILURE("the profile is longer");
  JXL_RETURN_IF_ERROR(profile.Process(reader, &bytes));
  facts_->profile.assign(bytes.data(), bytes.data() + bytes.size());
  return true;
}

bool Walker::ReadFrame(bool is_preview, FrameHeader* frame) {
  return Parse([&](BitReader* reader) -> Status {
    *frame = FrameHeader(&facts_->metadata);
    frame->nonserialized_is_preview = is_preview;
    JXL_RETURN_IF_ERROR(jxl::ReadFrameHeader(reader, frame));
    const jxl::FrameDimensions size = frame->ToFrameDimensions();
    const size_t entries = jxl::NumTocEntries(size.num_groups, size.num_dc_groups, frame->passes.num_passes);
    std::vector<jxl::coeff_order_t> permutation;
    JXL_RETURN_IF_ERROR(jxl::ReadToc(&memory_, entries, reader, &sizes_, &permutation));
    permuted_ = !permutation.empty();
    return true;
  });
}

// Goes past the dictionary of patches, and counts them off from what is left, each once for the colors and once for each other
// channel: PatchDictionary::Decode of libjxl, without the frames that they are cut from.
Status SkipPatches(JxlMemoryManager* memory, size_t extra, BitReader* reader, size_t* left) {
  std::vector<uint8_t> contexts;
  jxl::ANSCode code;
  JXL_RETURN_IF_ERROR(jxl::DecodeHistograms(memory, reader, jxl::kNumPatchDictionaryContexts, &code, &contexts));
  JXL_ASSIGN_OR_RETURN(jxl::ANSSymbolReader decoder, jxl::ANSSymbolReader::Create(&code, reader));
  const auto read = [&](size_t context) { return decoder.ReadHybridUint(context, reader, contexts); };
  const size_t references = read(jxl::kNumRefPatchContext);
  for (size_t reference = 0; reference < references; reference++) {
    read(jxl::kReferenceFrameContext);
    for (int side = 0; side < 2; side++) read(jxl::kPatchReferencePositionContext);
    for (int side = 0; side < 2; side++) read(jxl::kPatchSizeContext);
    const size_t patches = read(jxl::kPatchCountContext);
    if (patches >= *left / (1 + extra)) return JXL_FAILURE("too many patches");
    *left -= (patches + 1) * (1 + extra);
    for (size_t patch = 0; patch <= patches; patch++) {
      for (int side = 0; side < 2; side++) read(patch == 0 ? jxl::kPatchPositionContext : jxl::kPatchOffsetContext);
      for (size_t channel = 0; channel <= extra; channel++) {
        const size_t number = read(jxl::kPatchBlendModeContext);
        if (number >= jxl::kNumPatchBlendModes) return JXL_FAILURE("no such way to blend");
        const jxl::PatchBlendMode mode = static_cast<jxl::PatchBlendMode>(number);
        if (jxl::UsesAlpha(mode) && extra > 1) read(jxl::kPatchAlphaChannelContext);
        if (jxl::UsesClamp(mode)) read(jxl::kPatchClampContext);
      }
    }
    if (!reader->AllReadsWithinBounds()) return JXL_FAILURE("cut short");
  }
  return decoder.CheckANSFinalState() ? Status(true) : JXL_FAILURE("damaged");
}

bool IsWeighed(const jxl::Tree& tree) {
  return tree.size() > FEW_NODES || std::any_of(tree.begin(), tree.end(), [](const jxl::PropertyDecisionNode& node) {
    return node.property == jxl::kWPProp || node.predictor == jxl::Predictor::Weighted;
  });
}

// Whether the groups of a frame can be shown one by one, as far as that depends on channels in modular mode, which the first
// section tells. Where that is not easy to tell they cannot.
bool Walker::IsInGroups(const FrameHeader& frame) {
  const bool is_modular = frame.encoding == jxl::FrameEncoding::kModular;
  const bool has_channels = is_modular || facts_->metadata.m.num_extra_channels > 0;
  weighed_ = true;
  squeezed_ = true;
  tree_ = UNREAD_TREE_BYTES;
  patches_ = 0;
  if (permuted_ || (frame.flags & FrameHeader::kSplines) != 0) return !has_channels;
  bool same = frame.chroma_subsampling.Is444() || !is_modular;
  for (const uint32_t upsampling : frame.extra_channel_upsampling) same &= upsampling == frame.upsampling;
  const size_t length = std::min<size_t>({sizes_[0], size_ - at_, LARGEST_WINDOW});
  if (length == 0) return !has_channels;
  std::vector<uint8_t> bytes(length);
  pull(source_, at_, bytes.data(), length);
  BitReader reader(jxl::Bytes(bytes.data(), length));
  jxl::GroupHeader header;
  const size_t extra = facts_->metadata.m.num_extra_channels;
  const auto read = [&]() -> Status {
    if (frame.flags & FrameHeader::kPatches) {
      const size_t before = blendings_left_;
      const Status skipped = SkipPatches(&memory_, extra, &reader, &blendings_left_);
      if (!skipped) blendings_left_ = 0;
      const size_t gone = skipped ? before - blendings_left_ : MOST_BLENDINGS;
      patches_ = static_cast<double>(gone) * (PATCH_BYTES / (1 + extra) + BLENDING_BYTES);
      JXL_RETURN_IF_ERROR(skipped);
    }
    if (frame.flags & FrameHeader::kNoise) {
      jxl::NoiseParams noise;
      JXL_RETURN_IF_ERROR(jxl::DecodeNoise(&reader, &noise));
    }
    jxl::DequantMatrices matrices;
    JXL_RETURN_IF_ERROR(matrices.DecodeDC(&reader));
    if (!is_modular) {
      jxl::Quantizer quantizer(matrices);
      JXL_RETURN_IF_ERROR(quantizer.Decode(&reader));
      jxl::BlockCtxMap contexts;
      JXL_RETURN_IF_ERROR(jxl::DecodeBlockCtxMap(&memory_, &reader, &contexts));
      jxl::ColorCorrelation correlation;
      JXL_RETURN_IF_ERROR(correlation.DecodeDC(&reader));
    }
    if (reader.ReadFixedBits<1>() == 1) {
      jxl::Tree tree;
      jxl::ANSCode code;
      std::vector<uint8_t> contexts;
      JXL_RETURN_IF_ERROR(jxl::DecodeTree(&memory_, &reader, &tree, MOST_TREE));
      weighed_ = IsWeighed(tree);
      tree_ = tree.size() * NODE_BYTES;
      JXL_RETURN_IF_ERROR(jxl::DecodeHistograms(&memory_, &reader, (tree.size() + 1) / 2, &code, &contexts));
    }
    return jxl::Bundle::Read(&reader, &header);
  };
  const bool is_read = static_cast<bool>(read()) && reader.AllReadsWithinBounds();
  (void)reader.Close();
  if (!has_channels) return true;
  if (!is_read) return false;
  const auto& transforms = header.transforms;
  squeezed_ = std::any_of(transforms.begin(), transforms.end(), [](const jxl::Transform& transform) {
    return transform.id == jxl::TransformId::kSqueeze;
  });
  const bool has_none = transforms.empty() || (transforms.size() == 1 && transforms[0].id == jxl::TransformId::kRCT);
  return same && has_none && sizes_.size() > 1;
}

// Bytes of a plane of samples as the decoder allocates it.
double PlaneBytes(size_t width, size_t height) {
  size_t row = jxl::RoundUpTo(width * sizeof(float) + ROW_ALIGNMENT / 8, ROW_ALIGNMENT);
  if (row % ROW_ALIAS == 0) row += ROW_ALIGNMENT;
  return static_cast<double>(row) * height + ROW_ALIAS;
}

// How far from a sample those lie that filters need, all filters together.
size_t ReachOf(const FrameHeader& frame) {
  constexpr size_t SMOOTHING[] = {0, 2, 3, 6};
  const jxl::LoopFilter& filter = frame.loop_filter;
  return (filter.gab ? 1 : 0) + SMOOTHING[std::min<uint32_t>(filter.epf_iters, 3)] +
         (frame.chroma_subsampling.Is444() ? 0 : 2) + (frame.upsampling > 1 ? 2 : 0) +
         (frame.flags & FrameHeader::kNoise ? 2 : 0);
}

// Buffers between decoded groups and pixels: those of a group, or of all groups where pixels come of both modes and those
// in modular mode come last; and rows for what filters make.
double Walker::PipelineBytes(const FrameHeader& frame, bool is_alone) const {
  const jxl::FrameDimensions size = frame.ToFrameDimensions();
  const size_t extra = facts_->metadata.m.num_extra_channels;
  const bool is_modular = frame.encoding == jxl::FrameEncoding::kModular;
  const bool is_noisy = frame.flags & FrameHeader::kNoise;
  const size_t shown_side = size.group_dim * frame.upsampling;
  // Samples of channels that are finer than color lie closer.
  size_t finest = is_noisy ? frame.upsampling : 1;
  for (const uint32_t upsampling : frame.extra_channel_upsampling) {
    finest = std::max<size_t>(finest, jxl::DivCeil(frame.upsampling, upsampling));
  }
  const size_t reach = ReachOf(frame) + 1;
  const size_t rows_around = 2 * (reach * finest + reach);
  const size_t columns_around =
      2 * jxl::RoundUpTo(jxl::RoundUpTo(reach, COLUMN_ALIGNMENT) * finest + reach, COLUMN_ALIGNMENT) + COLUMN_ALIGNMENT;
  const auto group = [&](size_t side) { return PlaneBytes(side + columns_around, side + rows_around); };
  double groups = 3 * group(size.group_dim);
  for (const uint32_t upsampling : frame.extra_channel_upsampling) groups += group(shown_side / upsampling);
  if (is_noisy) groups += 3 * group(shown_side);
  const bool holds_all = !is_alone && (is_modular ? is_noisy : extra > 0);
  if (holds_all) groups *= static_cast<double>(size.num_groups);

  const jxl::LoopFilter& filter = frame.loop_filter;
  const size_t filters = (filter.gab ? 1 : 0) + filter.epf_iters + (frame.chroma_subsampling.Is444() ? 0 : 2);
  size_t rows = 3 * filters * FILTER_ROWS + (is_noisy ? 3 * FILTER_ROWS : 0);
  if (frame.upsampling > 1) rows += 3 * UPSAMPLING_ROWS;
  for (const uint32_t upsampling : frame.extra_channel_upsampling) rows += upsampling > 1 ? UPSAMPLING_ROWS : 0;
  const double beside = PlaneBytes(facts_->metadata.xsize() + shown_side, 3 + extra + 3);
  return groups + PlaneBytes(shown_side + columns_around * frame.upsampling, rows) + beside;
}

// All channels in modular mode, and what is there besides until their transforms are undone: samples of groups; or the halves
// of all channels that the last step of squeezing joins, and those of one twice.
Walker::ModularMemory Walker::ModularBytes(const FrameHeader& frame) const {
  const jxl::ImageMetadata& m = facts_->metadata.m;
  const jxl::FrameDimensions size = frame.ToFrameDimensions();
  const double color = PlaneBytes(size.xsize, size.ysize);
  double bytes = 0;
  double largest = 0;
  if (frame.encoding == jxl::FrameEncoding::kModular) {
    bytes += color * (m.color_encoding.IsGray() && frame.color_transform == jxl::ColorTransform::kNone ? 1 : 3);
    largest = color;
  }
  for (const uint32_t upsampling : frame.extra_channel_upsampling) {
    const double plane = PlaneBytes(jxl::DivCeil(size.xsize_upsampled, upsampling), jxl::DivCeil(size.ysize_upsampled, upsampling));
    bytes += plane;
    largest = std::max(largest, plane);
  }
  if (squeezed_) return {bytes, (bytes + largest) / 2};
  const double channels = 3 + frame.extra_channel_upsampling.size();
  return {bytes, std::min(largest, PlaneBytes(size.group_dim, size.group_dim) * channels)};
}

// Bytes that decoding a frame takes at most, beside what stays of others.
void Walker::Note(const FrameHeader& frame) {
  const jxl::ImageMetadata& m = facts_->metadata.m;
  double* const numbers = facts_->numbers;
  const jxl::FrameDimensions size = frame.ToFrameDimensions();
  const double pixels = static_cast<double>(size.xsize_padded) * size.ysize_padded;
  const double shown = static_cast<double>(size.xsize_upsampled_padded) * size.ysize_upsampled_padded;
  const double canvas = static_cast<double>(facts_->metadata.xsize()) * facts_->metadata.ysize();
  const size_t extra = m.num_extra_channels;
  const bool is_modular = frame.encoding == jxl::FrameEncoding::kModular;
  const bool is_noisy = frame.flags & FrameHeader::kNoise;
  const bool is_low = frame.frame_type == jxl::FrameType::kDCFrame;
  const double passes = frame.passes.num_passes;

  const bool is_alone = IsInGroups(frame);
  double bytes = tree_ + patches_ + CODES_BYTES + WINDOW_BYTES;
  double pipeline = PipelineBytes(frame, is_alone);
  if (!is_modular) {
    bytes += pixels * BLOCK_BYTES + TRANSFORM_BYTES + passes * PASS_BYTES + (passes - 1) * WINDOW_BYTES;
    if (passes > 1) pipeline += pixels * 3 * sizeof(int32_t);
  }
  bytes += std::max(left_, pipeline);
  left_ = pipeline;
  const ModularMemory modular = is_alone ? ModularMemory{0, 0} : ModularBytes(frame);
  bytes += modular.channels;
  if (frame.flags & FrameHeader::kSplines) bytes += SPLINES_BYTES;
  // What groups give to their neighbors: rows of those above and below, columns of those aside.
  const double channels = 3 + extra + (is_noisy ? 3 : 0);
  const jxl::LoopFilter& filter = frame.loop_filter;
  const bool has_borders = filter.gab || filter.epf_iters > 0 || is_noisy || frame.upsampling > 1 ||
                           !frame.chroma_subsampling.Is444();
  if (has_borders) {
    const double above = static_cast<double>(size.ysize_groups - 1) * size.xsize_upsampled_padded * BORDER_ROWS;
    const double aside = static_cast<double>(size.xsize_groups - 1) * size.ysize_upsampled_padded * BORDER_COLUMNS;
    bytes += (above + aside) * frame.upsampling * sizeof(float) * channels;
  }
  // Of the data that waits for more there are two copies while it grows. Sections that lie in another order are all there.
  uint64_t data = 0;
  uint32_t largest = 0;
  for (const uint32_t section : sizes_) {
    data += section;
    largest = std::max(largest, section);
  }
  bytes += permuted_ ? 2 * static_cast<double>(data) : DATA_COPIES * static_cast<double>(largest) * size.xsize_groups;
  // Black comes as a plane of its own, which the other inks wait for.
  const bool has_black = m.Find(jxl::ExtraChannel::kBlack) != nullptr;
  if (has_black) bytes += canvas;
  const bool whole = !is_alone || permuted_ || has_black;
  const size_t band = BAND_GROUPS * size.group_dim * frame.upsampling + BAND_ROWS;
  const double rows = std::min<double>(facts_->metadata.ysize(), band);
  const double waiting = whole ? canvas : facts_->metadata.xsize() * rows;
  numbers[FACT_WAITING] = std::max(numbers[FACT_WAITING], waiting);
  // Where blocks wait for channels in modular mode no pixel comes before these are whole.
  bytes += is_modular ? waiting * 4 + modular.undoing : std::max(waiting * 4, modular.undoing);
  // A layer that is saved when it is put on the canvas has the size of that.
  const bool is_put = frame.frame_type != jxl::FrameType::kReferenceOnly && !frame.save_before_color_transform;
  const double saved = (is_put ? std::max(shown, canvas) : shown) * sizeof(float) * (3 + extra);
  if (frame.CanBeReferenced()) bytes += saved;
  if (is_low) bytes += pixels * 3 * sizeof(float);

  double stays = 0;
  for (size_t slot = 0; slot < SLOTS; slot++) stays += facts_->slots[slot] + facts_->low_frequencies[slot];
  numbers[FACT_BYTES] = std::max(numbers[FACT_BYTES], bytes + stays);
  if (frame.CanBeReferenced()) facts_->slots[frame.save_as_reference] = saved;
  if (is_low) facts_->low_frequencies[frame.dc_level - 1] = pixels * 3 * sizeof(float);

  numbers[FACT_PIXELS] += shown * (is_modular && weighed_ ? WEIGHED_WORK : 1) * (3 + extra) / 3;
  numbers[FACT_DATA] += data;
  if (is_modular) numbers[FACT_MODULAR] = 1;
  if (frame.passes.num_passes > 1 || is_low) numbers[FACT_PASSES] = 1;
  if (frame.color_transform == jxl::ColorTransform::kYCbCr) {
    numbers[FACT_YCBCR] = 1;
    numbers[FACT_STEP_X] = 1 << frame.chroma_subsampling.MaxHShift();
    numbers[FACT_STEP_Y] = 1 << frame.chroma_subsampling.MaxVShift();
  }
}

bool Walker::Walk(size_t most_frames) {
  if (!Parse([&](BitReader* reader) { return ReadHead(reader); })) return false;
  Tell();
  bool is_preview = facts_->metadata.m.have_preview;
  for (size_t count = 0; count <= 2 * most_frames + SLOTS;) {
    FrameHeader frame(&facts_->metadata);
    if (!ReadFrame(is_preview, &frame)) return false;
    if (!is_preview) {
      Note(frame);
      count++;
    }
    uint64_t data = 0;
    for (const uint32_t size : sizes_) data += size;
    // A file that is cut short says so when it is decoded.
    at_ += std::min<uint64_t>(data, size_ - at_);
    if (is_preview) {
      is_preview = false;
      continue;
    }
    if (frame.is_last || frame.animation_frame.duration > 0) facts_->numbers[FACT_FRAMES]++;
    if (frame.is_last || facts_->numbers[FACT_FRAMES] > most_frames) return true;
  }
  return true;
}

// The numbers of ITU-T H.273, which are those of JPEG XL; 0 for what has none.
void TellColors(const jxl::ColorEncoding& colors, double* numbers) {
  const jxl::cms::ColorEncoding& encoding = colors.View();
  const jxl::cms::CustomTransferFunction& transfer = encoding.tf;
  if (colors.WantICC()) return;
  const jxl::WhitePoint white = encoding.white_point;
  const bool is_plain = white == jxl::WhitePoint::kD65;
  const int primaries = static_cast<int>(encoding.primaries);
  if (encoding.color_space == jxl::ColorSpace::kGray) {
    numbers[FACT_PRIMARIES] = is_plain ? 1 : 0;
  } else if (encoding.primaries == jxl::Primaries::kP3) {
    numbers[FACT_PRIMARIES] = is_plain ? 12 : white == jxl::WhitePoint::kDCI ? 11 : 0;
  } else {
    numbers[FACT_PRIMARIES] = is_plain && encoding.primaries != jxl::Primaries::kCustom ? primaries : 0;
  }
  numbers[FACT_TRANSFER] = transfer.have_gamma ? 0 : static_cast<int>(transfer.transfer_function);
}

void Walker::Tell() {
  double* const numbers = facts_->numbers;
  const jxl::ImageMetadata& m = facts_->metadata.m;
  const jxl::ExtraChannelInfo* const alpha = m.Find(jxl::ExtraChannel::kAlpha);
  numbers[FACT_WIDTH] = facts_->metadata.xsize();
  numbers[FACT_HEIGHT] = facts_->metadata.ysize();
  numbers[FACT_ORIENTATION] = m.orientation;
  numbers[FACT_ANIMATED] = m.have_animation;
  numbers[FACT_LOOPS] = m.have_animation ? m.animation.num_loops : 1;
  if (m.have_animation) {
    numbers[FACT_TICKS] = static_cast<double>(m.animation.tps_numerator) / m.animation.tps_denominator;
  }
  numbers[FACT_ALPHA_BITS] = alpha != nullptr ? alpha->bit_depth.bits_per_sample : 0;
  numbers[FACT_GRAY] = m.color_encoding.IsGray();
  const jxl::ExtraChannelInfo* const black = m.Find(jxl::ExtraChannel::kBlack);
  numbers[FACT_BLACK] = black != nullptr ? black - m.extra_channel_info.data() : -1;
  numbers[FACT_BITS] = m.bit_depth.bits_per_sample;
  numbers[FACT_XYB] = m.xyb_encoded;
  TellColors(m.color_encoding, numbers);
  if (facts_->profile.empty()) {
    jxl::ColorEncoding colors = m.color_encoding;
    if (colors.CreateICC()) facts_->profile.assign(colors.ICC().begin(), colors.ICC().end());
  }
  numbers[FACT_PROFILE] = reinterpret_cast<uintptr_t>(facts_->profile.data());
  numbers[FACT_PROFILE_BYTES] = facts_->profile.size();
}

}  // namespace

extern "C" {

// Reads what the codestream `source` of `size` bytes says, no further than to one frame more than `most_frames`. It stays
// until it is closed.
Facts* EXPORT(facts_open)(int source, size_t size, size_t most_frames) {
  Facts* const facts = new Facts();
  if (Walker(facts, source, size).Walk(most_frames)) return facts;
  delete facts;
  fail("the headers are damaged");
}

const double* EXPORT(facts_numbers)(const Facts* facts) { return facts->numbers; }

void EXPORT(facts_close)(Facts* facts) { delete facts; }

}  // extern "C"
