// Entropy codes of a stream of tokens that is told twice: for its statistics, and to be written. libjxl would hold all
// tokens of a frame, eight bytes for each.
#pragma once

#include <memory>
#include <vector>

#include "lib/jxl/enc_ans.h"
#include "lib/jxl/enc_params.h"

class TokenStatistics {
 public:
  explicit TokenStatistics(size_t contexts);
  ~TokenStatistics();
  void count(const std::vector<jxl::Token> &tokens);
  // Writes the codes that fit what was counted, and sets them.
  jxl::Status write(const jxl::HistogramParams &params, jxl::BitWriter *writer, jxl::EntropyEncodingData *codes,
                    std::vector<uint8_t> *context_map);

 private:
  struct Histograms;
  std::unique_ptr<Histograms> histograms_;
};
