// The part of libjxl's entropy coder that its header does not offer: histograms that are filled bit by bit.
#include "lib/jxl/enc_ans.cc"

#include "entropy.h"

struct TokenStatistics::Histograms {
  explicit Histograms(size_t contexts) : contexts(contexts), builder(contexts) {}
  size_t contexts;
  size_t tokens = 0;
  jxl::HistogramBuilder builder;
};

TokenStatistics::TokenStatistics(size_t contexts) : histograms_(new Histograms(contexts)) {}
TokenStatistics::~TokenStatistics() = default;

void TokenStatistics::count(const std::vector<jxl::Token> &tokens) {
  const jxl::HybridUintConfig config;
  for (const jxl::Token &token : tokens) {
    uint32_t symbol, bits, value;
    config.Encode(token.value, &symbol, &bits, &value);
    histograms_->builder.VisitSymbol(symbol, token.context);
  }
  histograms_->tokens += tokens.size();
}

// Fewer tokens than this are not worth the state of an arithmetic coder.
static constexpr size_t kFewTokens = 100;

jxl::Status TokenStatistics::write(const jxl::HistogramParams &params, jxl::BitWriter *writer,
                                   jxl::EntropyEncodingData *codes, std::vector<uint8_t> *context_map) {
  using namespace jxl;
  const size_t contexts = histograms_->contexts;
  const HistogramBuilder &builder = histograms_->builder;
  codes->lz77.nonserialized_distance_context = contexts;
  codes->use_prefix_code = histograms_->tokens < kFewTokens;
  if (!codes->use_prefix_code) {
    bool single = true;
    for (size_t i = 0; i < contexts && single; i++) single = builder.Histo(i).ShannonEntropy() < 1e-5;
    codes->use_prefix_code = single;
  }
  const size_t most_bits = 128 + contexts * 40 + std::min(contexts, kClustersLimit) * 96;
  return writer->WithMaxBits(most_bits, LayerType::Ac, nullptr, [&]() -> Status {
    JXL_RETURN_IF_ERROR(Bundle::Write(codes->lz77, writer, LayerType::Ac, nullptr));
    JXL_ASSIGN_OR_RETURN(size_t cost, builder.BuildAndStoreEntropyCodes(writer->memory_manager(), params, {}, codes,
                                                                       context_map, writer, LayerType::Ac, nullptr));
    (void)cost;
    return true;
  }, /*finished_histogram=*/true);
}
