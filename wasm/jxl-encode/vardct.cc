// What is written, and in which order, is that of libjxl's own driver (enc_frame.cc), which is included for its parts.
#include "vardct.h"

#include "entropy.h"
#include "lib/jxl/enc_frame.cc"

using namespace jxl;

// How much the filter between blocks keeps of edges: the middle of its range.
static constexpr uint8_t kSharpness = 4;

Status allocate_blocks(PassesEncoderState *state) {
  PassesSharedState &shared = state->shared;
  const FrameDimensions &size = shared.frame_dim;
  JxlMemoryManager *const manager = shared.memory_manager;
  JXL_ASSIGN_OR_RETURN(shared.ac_strategy, AcStrategyImage::Create(manager, size.xsize_blocks, size.ysize_blocks));
  JXL_ASSIGN_OR_RETURN(shared.raw_quant_field, ImageI::Create(manager, size.xsize_blocks, size.ysize_blocks));
  JXL_ASSIGN_OR_RETURN(shared.epf_sharpness, ImageB::Create(manager, size.xsize_blocks, size.ysize_blocks));
  JXL_ASSIGN_OR_RETURN(shared.cmap, ColorCorrelationMap::Create(manager, size.xsize, size.ysize));
  FillImage(kSharpness, &shared.epf_sharpness);
  return true;
}

VarDctFrame::VarDctFrame(File *file, const CompressParams &params, const FrameOptions &options)
    : file_(file), options_(options), params_(params), header_(&file->metadata), frame_(&file->manager) {}

Status VarDctFrame::open(const jpeg::JPEGData *jpeg) {
  FrameInfo info;
  info.duration = options_.duration;
  frame_.cparams = params_;
  JXL_RETURN_IF_ERROR(MakeFrameHeader(options_.width, options_.height, params_, frame_.progressive_splitter, info, jpeg,
                                      true, &header_));
  PassesSharedState &shared = frame_.shared;
  shared.metadata = &file_->metadata;
  shared.frame_dim = header_.ToFrameDimensions();
  const size_t columns = shared.frame_dim.xsize_blocks, lines = shared.frame_dim.ysize_blocks;
  JxlMemoryManager *const manager = &file_->manager;
  JXL_RETURN_IF_ERROR(allocate_blocks(&frame_));
  JXL_ASSIGN_OR_RETURN(shared.quant_dc, ImageB::Create(manager, columns, lines));
  ZeroFillImage(&shared.quant_dc);
  JXL_ASSIGN_OR_RETURN(dc_, Image3F::Create(manager, columns, lines));
  ZeroFillImage(&dc_);
  JXL_RETURN_IF_ERROR(coefficients_.open(manager, shared.frame_dim.num_groups));
  JXL_ASSIGN_OR_RETURN(ModularFrameEncoder modular, ModularFrameEncoder::Create(manager, header_, params_, false));
  modular_.reset(new ModularFrameEncoder(std::move(modular)));
  if (options_.alpha) JXL_RETURN_IF_ERROR(alpha_.open(manager, params_, shared.frame_dim.num_groups));
  if (jpeg == nullptr) ComputeChromacityAdjustments(params_, dc_, Rect(dc_), &header_);
  return true;
}

Status VarDctFrame::write(bool from_jpeg) {
  const size_t groups = frame_.shared.frame_dim.num_groups;
  sections_.reset(new Sections(&file_->manager, groups == 1));
  JXL_RETURN_IF_ERROR(prepare_dc(from_jpeg));
  JXL_RETURN_IF_ERROR(write_dc());
  JXL_RETURN_IF_ERROR(write_ac());
  return sections_->write(header_);
}

// Quantizes the averages of blocks, and puts them and what else is known of blocks into streams.
Status VarDctFrame::prepare_dc(bool from_jpeg) {
  PassesSharedState &shared = frame_.shared;
  const FrameDimensions &size = shared.frame_dim;
  JXL_ASSIGN_OR_RETURN(shared.dc_storage, Image3F::Create(&file_->manager, size.xsize_blocks, size.ysize_blocks));
  const bool fine = !from_jpeg && params_.speed_tier < SpeedTier::kFalcon;
  for (size_t group = 0; group < size.num_dc_groups; group++) {
    const Rect area = size.DCGroupRect(group);
    JXL_RETURN_IF_ERROR(modular_->AddVarDCTDC(header_, dc_, area, group, fine, &frame_, from_jpeg));
    JXL_RETURN_IF_ERROR(modular_->AddACMetadata(area, group, from_jpeg, &frame_));
  }
  dc_ = Image3F();
  shared.dc_storage = Image3F();
  JXL_RETURN_IF_ERROR(modular_->ComputeTree(nullptr));
  return modular_->ComputeTokens(nullptr);
}

Status VarDctFrame::write_dc() {
  const PassesSharedState &shared = frame_.shared;
  BitWriter *writer = sections_->writer();
  JXL_RETURN_IF_ERROR(DequantMatricesEncodeDC(shared.matrices, writer, LayerType::Quant, nullptr));
  JXL_RETURN_IF_ERROR(EncodeGlobalDCInfo(shared, writer, nullptr));
  JXL_RETURN_IF_ERROR(modular_->EncodeGlobalInfo(false, writer, nullptr));
  JXL_RETURN_IF_ERROR(alpha_.write_global(writer, shared.frame_dim));
  JXL_RETURN_IF_ERROR(sections_->close());
  for (size_t group = 0; group < shared.frame_dim.num_dc_groups; group++) {
    writer = sections_->writer();
    JXL_RETURN_IF_ERROR(writer->WithMaxBits(2, LayerType::Dc, nullptr, [&]() -> Status {
      writer->Write(2, modular_->extra_dc_precision[group]);
      return true;
    }));
    JXL_RETURN_IF_ERROR(modular_->EncodeStream(writer, nullptr, LayerType::Dc, ModularStreamId::VarDCTDC(group)));
    const Rect area = shared.frame_dim.DCGroupRect(group);
    const size_t bits = CeilLog2Nonzero(area.xsize() * area.ysize());
    JXL_RETURN_IF_ERROR(writer->WithMaxBits(bits, LayerType::ControlFields, nullptr, [&]() -> Status {
      if (bits > 0) writer->Write(bits, modular_->ac_metadata_size[group] - 1);
      return true;
    }));
    JXL_RETURN_IF_ERROR(
        modular_->EncodeStream(writer, nullptr, LayerType::ControlFields, ModularStreamId::ACMetadata(group)));
    JXL_RETURN_IF_ERROR(sections_->close());
  }
  return true;
}

// The orders in which coefficients are written: those that are zero more often come later.
Status VarDctFrame::choose_orders() {
  PassesSharedState &shared = frame_.shared;
  shared.coeff_order_size = kCoeffOrderMaxSize;
  shared.coeff_orders.resize(kCoeffOrderMaxSize);
  const auto used = ComputeUsedOrders(params_.speed_tier, shared.ac_strategy, Rect(shared.raw_quant_field));
  frame_.used_orders.assign(1, 0);
  return ComputeCoeffOrder(params_.speed_tier, coefficients_, shared.ac_strategy, shared.frame_dim,
                           frame_.used_orders[0], 0, used.first, used.second, shared.coeff_orders.data());
}

Status VarDctFrame::tokens(size_t group, std::vector<Token> *list) {
  const PassesSharedState &shared = frame_.shared;
  const int32_t *const samples[3] = {coefficients_.row(0, group), coefficients_.row(1, group),
                                     coefficients_.row(2, group)};
  const Rect blocks = shared.frame_dim.BlockGroupRect(group);
  return TokenizeCoefficients(shared.coeff_orders.data(), blocks, const_cast<const int32_t **>(samples),
                              shared.ac_strategy, header_.chroma_subsampling, &nonzeros_, list, shared.quant_dc,
                              shared.raw_quant_field, shared.block_ctx_map);
}

Status VarDctFrame::write_ac() {
  PassesSharedState &shared = frame_.shared;
  const size_t groups = shared.frame_dim.num_groups;
  JXL_RETURN_IF_ERROR(choose_orders());
  JXL_ASSIGN_OR_RETURN(nonzeros_, Image3I::Create(&file_->manager, kGroupDimInBlocks, kGroupDimInBlocks));
  std::vector<Token> list;
  TokenStatistics statistics(shared.block_ctx_map.NumACContexts());
  for (size_t group = 0; group < groups; group++) {
    JXL_RETURN_IF_ERROR(tokens(group, &list));
    statistics.count(list);
  }
  BitWriter *writer = sections_->writer();
  JXL_RETURN_IF_ERROR(DequantMatricesEncode(&file_->manager, shared.matrices, writer, LayerType::Quant, nullptr,
                                            modular_.get()));
  size_t order_bits = 0;
  const size_t histogram_bits = CeilLog2Nonzero(groups);
  JXL_RETURN_IF_ERROR(U32Coder::CanEncode(kOrderEnc, frame_.used_orders[0], &order_bits));
  JXL_RETURN_IF_ERROR(writer->WithMaxBits(histogram_bits + order_bits, LayerType::Order, nullptr, [&]() -> Status {
    // One set of histograms.
    if (histogram_bits > 0) writer->Write(histogram_bits, 0);
    return U32Coder::Write(kOrderEnc, frame_.used_orders[0], writer);
  }));
  JXL_RETURN_IF_ERROR(EncodeCoeffOrders(frame_.used_orders[0], shared.coeff_orders.data(), writer, LayerType::Order,
                                        nullptr));
  EntropyEncodingData codes;
  std::vector<uint8_t> context_map;
  HistogramParams how(params_.speed_tier, shared.block_ctx_map.NumACContexts());
  how.lz77_method = HistogramParams::LZ77Method::kNone;
  JXL_RETURN_IF_ERROR(statistics.write(how, writer, &codes, &context_map));
  JXL_RETURN_IF_ERROR(sections_->close());
  for (size_t group = 0; group < groups; group++) {
    JXL_RETURN_IF_ERROR(tokens(group, &list));
    coefficients_.drop(group);
    JXL_RETURN_IF_ERROR(WriteTokens(list, codes, context_map, 0, sections_->writer(), LayerType::AcTokens, nullptr));
    JXL_RETURN_IF_ERROR(alpha_.write(sections_->writer(), group));
    JXL_RETURN_IF_ERROR(sections_->close());
  }
  return true;
}
